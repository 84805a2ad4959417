package dev.pvcpopulators.diskimage;

/// The parts of a tar header that identify it (POSIX.1-2017, pax, "ustar Interchange Format").
///
/// The checksum decides alone: an archive of Unix version 7 has no magic number (`tar
/// --format=v7`).
///
/// | Offset | Size | Field                                                           |
/// |-------:|-----:|-----------------------------------------------------------------|
/// |      0 |  100 | name, not empty                                                 |
/// |    148 |    8 | checksum: octal sum of all bytes, its own eight taken as spaces |
final class TarMagic {
  private static final int HEADER_LENGTH = 512;
  private static final int CHECKSUM_OFFSET = 148;
  private static final int CHECKSUM_LENGTH = 8;

  private TarMagic() {}

  static boolean matches(byte[] head) {
    return head.length >= HEADER_LENGTH
        && head[0] != 0
        && recordedChecksum(head) == computedChecksum(head);
  }

  private static int recordedChecksum(byte[] head) {
    int sum = 0;
    boolean digits = false;
    for (int i = CHECKSUM_OFFSET; i < CHECKSUM_OFFSET + CHECKSUM_LENGTH; i++) {
      int c = head[i];
      if (c >= '0' && c <= '7') {
        sum = sum * 8 + c - '0';
        digits = true;
      } else if (digits || c != ' ') {
        break;
      }
    }
    return digits ? sum : -1;
  }

  private static int computedChecksum(byte[] head) {
    int sum = 0;
    for (int i = 0; i < HEADER_LENGTH; i++) {
      boolean own = i >= CHECKSUM_OFFSET && i < CHECKSUM_OFFSET + CHECKSUM_LENGTH;
      sum += own ? ' ' : head[i] & 0xff;
    }
    return sum;
  }
}
