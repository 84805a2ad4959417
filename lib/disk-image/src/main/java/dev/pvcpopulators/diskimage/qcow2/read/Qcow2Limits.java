package dev.pvcpopulators.diskimage.qcow2.read;

/// Resource limits for decoding one image.
///
/// @param windowLength number of bytes that stay in memory in addition to the newest chunk, 0–1
///   GiB. The length of a chunk is 1 MiB, or the length of a cluster if a cluster is longer. A
///   number below two clusters is raised to two clusters, because a compressed cluster takes at
///   most two clusters of the file. The number is then rounded up to whole chunks. Older bytes that
///   no table has mapped yet go to the sink's staging. If the source can be read again, these bytes
///   are dropped instead
/// @param pendingRuns maximum number of runs whose guest offset is known and whose bytes have not
///   arrived. A run is contiguous both in the image file and on the disk, and takes 24 bytes of
///   memory. If the runs of an L2 table would exceed the limit, the table is staged and processed
///   at the end of the source. If the source can be read again, the table is left to the next pass
///   instead. For such a source, runs whose bytes were dropped are recorded separately, up to the
///   same limit
/// @param trackingLength maximum memory in bytes for the bitmaps of used host clusters; an image
///   that needs more is refused
/// @param workers number of threads that decompress clusters, 1–64
public record Qcow2Limits(int windowLength, int pendingRuns, int trackingLength, int workers) {
  /// Rejects values outside their ranges.
  public Qcow2Limits {
    if (windowLength < 0 || windowLength > 1 << 30) {
      throw new IllegalArgumentException("windowLength " + windowLength + " is not in 0–1 GiB");
    }
    if (pendingRuns < 0 || trackingLength < 0) {
      throw new IllegalArgumentException(
          "A limit is negative: " + pendingRuns + ", " + trackingLength);
    }
    if (workers < 1 || workers > 64) {
      throw new IllegalArgumentException("workers " + workers + " is not in 1–64");
    }
  }

  /// Returns the defaults: 16 MiB of window, 6 MiB of runs, 16 MiB of bitmaps, two workers. In an
  /// image that `qemu-img convert -c` writes, the distance from a compressed cluster to the later
  /// table that maps it is at most 0.4 MB. In an image that was often rewritten, this distance is
  /// up to tens of MB. The decoder has two bitmaps, each with one bit for each host cluster. A page
  /// of bits takes memory only if the page contains both zeros and ones. 16 MiB of bitmaps suffice
  /// for any host file of up to 3 TiB with clusters of 64 KiB.
  public static Qcow2Limits defaults() {
    return new Qcow2Limits(16 << 20, 1 << 18, 16 << 20, 2);
  }
}
