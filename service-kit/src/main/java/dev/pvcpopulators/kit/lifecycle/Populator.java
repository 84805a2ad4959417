package dev.pvcpopulators.kit.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The service's part of a volume's life: creates, removes and recovers the volume. A service
/// provides its populator as an `@ApplicationScoped` or `@Singleton` bean.
///
/// [VolumeLifecycle] calls [#create], [#delete] and [#recover] one at a time, [#recover] first, and
/// each call on a separate thread.
public interface Populator {
  /// Returns the service's name for documents, logs and metrics, such as `http-upload`.
  String name();

  /// Returns the fields that a body of `PUT /volume` may contain.
  Set<String> overridableFields();

  /// Makes the volume and returns when the volume can be used. If this method throws, no data are
  /// left behind.
  ///
  /// When the creation is cancelled, the callbacks of `cancellation` run, and then the thread of
  /// this call is interrupted. If the creation is cancelled because a client deletes the volume,
  /// [#delete] is called on another thread after this method has ended.
  ///
  /// @param request fields that override the configuration; contains only fields of
  ///   [#overridableFields]
  /// @param progress receives the progress; its methods are cheap enough to be called for every
  ///   buffer
  /// @return the reference by which a virtual machine uses the volume
  /// @throws VolumeException with the reason why there is no volume
  /// @throws InterruptedException when cancelled
  VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException, InterruptedException;

  /// Removes what this service made and nothing else. It is not an error if nothing exists.
  void delete() throws VolumeException;

  /// Removes the leftovers of a crash, and returns the complete volume that an earlier process of
  /// this service has made; empty if there is none. Called after the start of the service. If a
  /// call fails, the method is called again at the next request for the volume or for its deletion.
  Optional<Recovered> recover() throws VolumeException;

  /// Returns those details of the volume that only the running service knows. The status shows
  /// these details in `details`, in addition to the details that [Progress#details] has set. This
  /// method must be cheap, and may be called on any thread at any time.
  default ObjectNode details() {
    return JsonNodeFactory.instance.objectNode();
  }

  /// Returns the parts of the volume that exist while the service runs, such as LUNs; the parts of
  /// a creation are reported by [Progress#parts]. This method must be cheap, and may be called on
  /// any thread at any time.
  default List<Part> parts() {
    return List.of();
  }
}
