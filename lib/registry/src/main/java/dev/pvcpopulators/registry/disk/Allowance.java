package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.concurrent.atomic.AtomicLong;

/// How much may be unpacked that is not the disk, which is bounded by the volume instead.
///
/// A few megabytes can inflate to terabytes. What lies beside the disk may be [SearchLimits#BESIDE]
/// and [SearchLimits#BESIDE_PER_BYTE] times what was pulled for it, all layers of one search
/// together; the disk itself may be a terabyte of zeros in a few megabytes.
final class Allowance {
  private final AtomicLong pulled = new AtomicLong();
  private long beside;

  /// More bytes came from the source; from the thread that pulls.
  void pulled(long bytes) {
    pulled.addAndGet(bytes);
  }

  /// More bytes were unpacked beside the disk; from the thread that searches.
  ///
  /// @throws UnsupportedFeatureException past the limit
  void unpacked(long bytes) throws UnsupportedFeatureException {
    beside += bytes;
    long most = SearchLimits.BESIDE + SearchLimits.BESIDE_PER_BYTE * pulled.get();
    if (beside > most) {
      throw new UnsupportedFeatureException(
          "The image unpacks to more than "
              + most
              + " bytes beside its disk; "
              + pulled.get()
              + " bytes were pulled for that");
    }
  }
}
