package dev.pvcpopulators.diskimage.qcow2.format;

/// Header bytes 72–79: features that a reader must know to read the image. A header of version 2
/// does not have this field.
///
/// | Bit  | Meaning                                                     |
/// |-----:|-------------------------------------------------------------|
/// | 0    | dirty: refcounts may be stale, mappings are valid; ignored  |
/// | 1    | corrupt: any data structure may be damaged                  |
/// | 2    | external data file                                          |
/// | 3    | compression type field present and not zlib                 |
/// | 4    | extended L2 entries                                         |
/// | 5–63 | unknown                                                     |
public record IncompatibleFeatures(long raw) {
  private static final int CORRUPT = 1;
  private static final int EXTERNAL_DATA = 2;
  private static final int COMPRESSION_TYPE = 3;
  private static final int EXTENDED_L2 = 4;
  private static final int KNOWN = 5;

  /// Returns the features of an image that uses this compression and no other incompatible feature.
  public static IncompatibleFeatures of(ClusterCompression compression) {
    return switch (compression) {
      case ZLIB -> new IncompatibleFeatures(0);
      case ZSTD -> new IncompatibleFeatures(1L << COMPRESSION_TYPE);
    };
  }

  boolean corrupt() {
    return has(CORRUPT);
  }

  boolean externalDataFile() {
    return has(EXTERNAL_DATA);
  }

  boolean compressionType() {
    return has(COMPRESSION_TYPE);
  }

  public boolean extendedL2() {
    return has(EXTENDED_L2);
  }

  /// Returns `raw` without the known bits.
  long unknown() {
    return (raw >>> KNOWN) << KNOWN;
  }

  private boolean has(int bit) {
    return ((raw >>> bit) & 1) != 0;
  }
}
