package dev.pvcpopulators.diskimage.compression;

/// How far back a stream may refer, which its decoder has to keep. The stream itself chooses it.
public enum DecoderMemory {
  /// What the tools' highest levels ask for: `xz -9` (64 MiB), `zstd --ultra -22` and `zstd
  /// --long=27` (128 MiB). One at a time. With those of xz, and of zstd up to 32 MiB, a service
  /// stays below 256 MiB of resident memory; with 128 MiB it comes near to 330 MiB, below the 384
  /// MiB that the pods have.
  LARGE(66 << 10, 128 << 20),
  /// For a stream around another one that may be large: `xz` at its default level, and as much as
  /// registries' clients use for layers (32 MiB) for zstd, whose window is outside of the heap.
  SMALL(10 << 10, 32 << 20);

  private final int xzKibibytes;
  private final int zstdWindow;

  DecoderMemory(int xzKibibytes, int zstdWindow) {
    this.xzKibibytes = xzKibibytes;
    this.zstdWindow = zstdWindow;
  }

  /// All that the decoder may take, in KiB: the dictionary and room for its smaller tables.
  int xzKibibytes() {
    return xzKibibytes;
  }

  /// The largest window, in bytes.
  int zstdWindow() {
    return zstdWindow;
  }
}
