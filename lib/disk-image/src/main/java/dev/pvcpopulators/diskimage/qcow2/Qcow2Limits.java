package dev.pvcpopulators.diskimage.qcow2;

/// What decoding one image may cost.
///
/// @param windowLength bytes of the source that stay in memory behind the newest ones, while their
///   meaning is not known; what is older goes to the sink's staging. Rounded up to whole chunks,
///   and to what the cluster size demands
/// @param pendingRuns runs of host clusters ahead whose guest offset is known already, 24 bytes of
///   memory each. An L2 table that would exceed it is staged and followed at the end; where the
///   source is read again it is left to the next pass, and as many runs that were missed are noted
///   besides
/// @param trackingLength bytes of memory for the bitmaps that say which host clusters are in use;
///   an image that needs more is refused
/// @param workers threads that decompress clusters
public record Qcow2Limits(int windowLength, int pendingRuns, int trackingLength, int workers) {
  /// Rejects what could never work.
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

  /// 16 MiB of window (the packed clusters of `qemu-img convert -c` lie at most 0.4 MB before their
  /// table, those of a hot-edited image up to tens of MB), 6 MiB of runs, 16 MiB of bitmaps (one
  /// bit a cluster where use is mixed: 8 TiB of host file at 64 KiB), two workers.
  public static Qcow2Limits defaults() {
    return new Qcow2Limits(16 << 20, 1 << 18, 16 << 20, 2);
  }
}
