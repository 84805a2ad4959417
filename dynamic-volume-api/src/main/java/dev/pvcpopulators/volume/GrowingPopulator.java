package dev.pvcpopulators.volume;

/// A populator whose volume holds several disks, so that one that is ready can take another: a `PUT
/// /volume` whose body differs from what the volume was made for is not refused.
public interface GrowingPopulator extends Populator {
  /// Adds what a request asks for to the volume, and returns when it can be used. Where the volume
  /// has it already, returns that.
  ///
  /// Called after [#create] or [#recover] has made or found the volume, on a virtual thread of its
  /// own, perhaps several times at once. A [#delete] that comes meanwhile ends it with a
  /// [Failure.Cancelled].
  ///
  /// Also called for a request that the volume was made for: a disk that has failed since is made
  /// anew.
  ///
  /// @param request empty for the disks of the settings; all its fields allowed
  /// @throws VolumeException with the reason why it was not added; the volume is as before then
  Creation add(VolumeRequest request) throws VolumeException, InterruptedException;
}
