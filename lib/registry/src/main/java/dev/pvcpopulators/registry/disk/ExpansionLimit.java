package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.concurrent.atomic.AtomicLong;

/// A limit for the decompressed bytes beside the disk; the volume limits the disk itself.
///
/// A few megabytes can expand to terabytes. All layers of one search together, each as often as it
/// is read, may contain [SearchLimits#BESIDE] bytes besides the disk, plus
/// [SearchLimits#BESIDE_PER_BYTE] times the pulled bytes. The disk itself is not limited: it may be
/// a terabyte of zeros in a few megabytes.
final class ExpansionLimit {
  private final AtomicLong pulled = new AtomicLong();
  private long beside;

  /// Adds bytes from the source; called by the pulling thread.
  void pulled(long bytes) {
    pulled.addAndGet(bytes);
  }

  /// Adds decompressed bytes beside the disk; called by the thread that searches the layer or reads
  /// its disk.
  ///
  /// @throws UnsupportedFeatureException beyond the limit
  void unpacked(long bytes) throws UnsupportedFeatureException {
    beside += bytes;
    long most = SearchLimits.BESIDE + SearchLimits.BESIDE_PER_BYTE * pulled.get();
    if (beside > most) {
      throw new UnsupportedFeatureException(
          "The image unpacks to more than %s bytes beside its disk; %s bytes were pulled for that"
              .formatted(most, pulled.get()));
    }
  }
}
