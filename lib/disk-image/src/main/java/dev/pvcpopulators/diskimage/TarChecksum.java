package dev.pvcpopulators.diskimage;

/// The checksum of a tar header (POSIX.1-2017, pax, "ustar Interchange Format"). Only the checksum
/// identifies all tar formats, because the Unix version 7 format (`tar --format=v7`) has no magic
/// number.
///
/// | Offset | Size | Field                                                                    |
/// |-------:|-----:|--------------------------------------------------------------------------|
/// |      0 |  100 | name, not empty at the beginning of an archive                           |
/// |    148 |    8 | checksum: octal sum of all bytes, its own eight bytes counted as spaces  |
public final class TarChecksum {
  private static final int HEADER_LENGTH = 512;
  private static final int OFFSET = 148;
  private static final int LENGTH = 8;

  private TarChecksum() {}

  /// Returns whether an archive begins with these bytes.
  static boolean beginsArchive(byte[] head) {
    return head.length >= HEADER_LENGTH && head[0] != 0 && matches(head);
  }

  /// Returns whether the checksum of a header is right. The sum of the bytes as signed numbers is
  /// also accepted, because some old programs wrote that sum.
  ///
  /// @param header at least 512 bytes
  public static boolean matches(byte[] header) {
    int recorded = recorded(header);
    int unsigned = 0;
    int signed = 0;
    for (int i = 0; i < HEADER_LENGTH; i++) {
      boolean own = i >= OFFSET && i < OFFSET + LENGTH;
      unsigned += own ? ' ' : header[i] & 0xff;
      signed += own ? ' ' : header[i];
    }
    return recorded >= 0 && (recorded == unsigned || recorded == signed);
  }

  private static int recorded(byte[] header) {
    int sum = 0;
    boolean digits = false;
    for (int i = OFFSET; i < OFFSET + LENGTH; i++) {
      int c = header[i];
      if (c >= '0' && c <= '7') {
        sum = sum * 8 + c - '0';
        digits = true;
      } else if (digits || c != ' ') {
        break;
      }
    }
    return digits ? sum : -1;
  }
}
