package dev.pvcpopulators.diskimage.compression;

/// Limits for the history window that a stream may require its decoder to keep. The stream chooses
/// the size of the window.
public enum DecoderMemory {
  /// The limit for the highest levels of the tools: `xz -9` (64 MiB), and `zstd --ultra -22` or
  /// `zstd --long=27` (128 MiB). Each import runs at most one decoder of xz, zstd or LZ4 with this
  /// limit. With `xz`, and with zstd windows up to 32 MiB, a service stays below 256 MiB of
  /// resident memory. With a zstd window of 128 MiB, the resident memory reaches almost 330 MiB;
  /// the memory limit of the pods is 384 MiB.
  LARGE(66 << 10, 128 << 20),
  /// The limit for a stream that may contain another compressed stream; the inner stream may need
  /// [#LARGE]. The limit is sufficient for `xz` at its default level, and for zstd windows up to 32
  /// MiB. Registry clients compress layers with zstd windows of at most 32 MiB.
  SMALL(10 << 10, 32 << 20);

  private final int xzKibibytes;
  private final int zstdWindow;

  DecoderMemory(int xzKibibytes, int zstdWindow) {
    this.xzKibibytes = xzKibibytes;
    this.zstdWindow = zstdWindow;
  }

  /// Returns the memory limit of an xz decoder in KiB. The limit applies to the total size of the
  /// dictionary and the decoder's other tables.
  int xzKibibytes() {
    return xzKibibytes;
  }

  /// Returns the largest zstd window in bytes.
  int zstdWindow() {
    return zstdWindow;
  }
}
