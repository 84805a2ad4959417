package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.util.OptionalLong;

/// Where the source ends: as it is said to, and as it did.
///
/// @param length bytes of the source, where known
record SourceBounds(OptionalLong length, Window window) {
  /// Refuses what cannot be in the source before it has come that far.
  void require(String structure, long host, long bytes) throws MalformedImageException {
    if (length.isPresent() && host > length.getAsLong() - bytes) {
      throw new MalformedImageException(
          structure, host, "it reaches beyond the end of the source at byte " + length.getAsLong());
    }
  }

  /// What is still ahead when the source has ended.
  MalformedImageException ended(String structure, long host) {
    return new MalformedImageException(
        structure, host, "the source ends at byte " + window.end() + ", before its end");
  }
}
