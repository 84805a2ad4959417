package dev.pvcpopulators.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Corrects the checksums of a tar's headers (POSIX.1-2017, pax, "ustar Interchange Format"). The
/// size in each header gives the offset of the next header. Without correct checksums, the code
/// under test refuses almost every archive that a fuzzer has changed.
public final class MendedTar {
  private static final int BLOCK = 512;
  private static final int SIZE = 124;
  private static final int SIZE_LENGTH = 12;
  private static final int CHECKSUM = 148;
  private static final int CHECKSUM_LENGTH = 8;

  private MendedTar() {}

  /// Returns a copy of the archive with correct checksums.
  public static byte[] of(byte[] tar) {
    byte[] mended = tar.clone();
    int at = 0;
    while (at + BLOCK <= mended.length) {
      if (!zeros(mended, at)) {
        mend(mended, at);
        long size = octal(mended, at + SIZE);
        if (size > mended.length) {
          return mended;
        }
        at += Math.ceilDiv((int) size, BLOCK) * BLOCK;
      }
      at += BLOCK;
    }
    return mended;
  }

  private static boolean zeros(byte[] bytes, int at) {
    for (int i = at; i < at + BLOCK; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private static void mend(byte[] bytes, int at) {
    int from = at + CHECKSUM;
    Arrays.fill(bytes, from, from + CHECKSUM_LENGTH, (byte) ' ');
    int sum = 0;
    for (int i = at; i < at + BLOCK; i++) {
      sum += bytes[i] & 0xff;
    }
    byte[] text = "%06o\0 ".formatted(sum).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(text, 0, bytes, from, CHECKSUM_LENGTH);
  }

  private static long octal(byte[] bytes, int at) {
    long value = 0;
    for (int i = at; i < at + SIZE_LENGTH; i++) {
      if (bytes[i] >= '0' && bytes[i] <= '7') {
        value = value * 8 + bytes[i] - '0';
      }
    }
    return value;
  }
}
