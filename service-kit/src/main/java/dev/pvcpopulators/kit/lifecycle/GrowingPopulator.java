package dev.pvcpopulators.kit.lifecycle;

import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.function.Consumer;

/// A populator whose volume can hold several disks. A ready volume can get another disk: the
/// service accepts a `PUT /volume` whose body differs from the request that made the volume.
public interface GrowingPopulator extends Populator {
  /// Sets the watcher that is notified if a single disk of a ready volume fails. Called once,
  /// before [#create], [#recover], [#delete] and [#add].
  ///
  /// @param watcher may be called on any thread
  void watchFailures(Consumer<Failure> watcher);

  /// Adds the requested disk to the volume, and returns when the disk can be used. If the volume
  /// has the disk already, returns that disk.
  ///
  /// Called after [#create] has made the volume or [#recover] has found it. Each call runs on a
  /// separate virtual thread, and several calls may run at the same time. A concurrent [#delete]
  /// ends the call with a [Failure.Cancelled].
  ///
  /// The method is also called if a client repeats the request that made the volume. In such a
  /// call, the populator repeats the creation of each requested disk that has failed since it was
  /// made.
  ///
  /// @param request empty if the client requests the disks of the settings; contains only fields of
  ///   [#overridableFields]
  /// @return the reference to the disk, and whether this call has added the disk
  /// @throws VolumeException with the reason; the disks that can be used stay unchanged
  Creation add(VolumeRequest request) throws VolumeException, InterruptedException;
}
