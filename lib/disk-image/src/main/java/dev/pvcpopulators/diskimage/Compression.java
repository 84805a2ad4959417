package dev.pvcpopulators.diskimage;

/// Compression formats that an import can decompress. Each format is recognised by its magic
/// number.
public enum Compression {
  /// The gzip format (RFC 1952). Recognised only with compression method 8 (deflate), because RFC
  /// 1952 defines no other method.
  GZIP("\u001f\u008b\b"),
  /// The Zstandard format (RFC 8878).
  ZSTD("(\u00b5/\u00fd"),
  /// The .xz file format, version 1.2.
  XZ("\u00fd7zXZ\0"),
  /// The bzip2 format. Because other data can also begin with the letters `BZh`, the check includes
  /// the next two fields: the block size (`1`–`9`), and a magic number. This number marks a block
  /// or, in an empty stream, the end of the stream.
  BZIP2("BZh") {
    @Override
    boolean matches(byte[] head, int offset) {
      int level = offset + 3;
      return super.matches(head, offset)
          && level < head.length
          && head[level] >= '1'
          && head[level] <= '9'
          && (Magic.at(head, level + 1, BZIP2_BLOCK) || Magic.at(head, level + 1, BZIP2_END));
    }
  },
  /// The LZ4 frame format, version 1.6.
  LZ4("\u0004\"M\u0018");

  private static final String BZIP2_BLOCK = "1AY&SY";
  private static final String BZIP2_END = "\u0017rE8P\u0090";

  private final String magic;

  Compression(String magic) {
    this.magic = magic;
  }

  boolean matches(byte[] head, int offset) {
    return Magic.at(head, offset, magic);
  }
}
