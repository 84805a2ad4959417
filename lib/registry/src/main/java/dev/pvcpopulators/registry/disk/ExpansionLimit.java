package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.concurrent.atomic.AtomicLong;

/// A limit for the decompressed bytes that do not belong to the disk. The disk itself may be a
/// terabyte of zeros, compressed to a few megabytes; the disk is limited by the size of the volume
/// that receives it.
///
/// The other bytes need a limit too, because a few compressed megabytes of them can also expand to
/// terabytes. In one search, all layers together may contain [SearchLimits#BESIDE] bytes in
/// addition to the disk, plus [SearchLimits#BESIDE_PER_BYTE] bytes for each pulled byte. The bytes
/// of a layer count each time that the layer is read.
final class ExpansionLimit {
  private final AtomicLong pulled = new AtomicLong();
  private long beside;

  /// Adds to the number of pulled bytes; called by the pulling thread.
  void pulled(long bytes) {
    pulled.addAndGet(bytes);
  }

  /// Adds to the number of decompressed bytes that do not belong to the disk. Called by the thread
  /// that searches the layer or reads the disk in it.
  ///
  /// @throws UnsupportedFeatureException if the limit is exceeded
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
