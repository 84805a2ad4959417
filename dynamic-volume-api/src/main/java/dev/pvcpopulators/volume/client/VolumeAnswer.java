package dev.pvcpopulators.volume.client;

import dev.pvcpopulators.volume.VolumeSource;

/// The answer of a service to `PUT /volume` or `GET /volume`.
public sealed interface VolumeAnswer {
  /// The volume can be used.
  ///
  /// @param created whether the volume was made for this request, or for a request that this
  ///   request joined; false for `GET /volume`
  /// @param yaml the document of `source`, as the service wrote it; encoded in UTF-8, this text
  ///   equals the answer's body, byte for byte
  record Usable(VolumeSource source, boolean created, String yaml) implements VolumeAnswer {}

  /// The volume is being made or removed.
  record UnderWay(StatusReport status) implements VolumeAnswer {}

  /// There is no volume: none was requested, or it was deleted.
  record Absent() implements VolumeAnswer {}
}
