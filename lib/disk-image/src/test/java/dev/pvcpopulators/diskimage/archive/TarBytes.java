package dev.pvcpopulators.diskimage.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// Writes ustar headers by hand (POSIX.1-2017, pax), including some that no tool would write.
final class TarBytes {
  private static final int BLOCK = 512;

  private TarBytes() {}

  static byte[] archive(byte[]... entries) {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    for (byte[] entry : entries) {
      archive.writeBytes(entry);
    }
    archive.writeBytes(new byte[2 * BLOCK]);
    return archive.toByteArray();
  }

  static byte[] entry(String name, char type, String link, byte[] data) {
    byte[] header = new byte[BLOCK];
    put(header, 0, name);
    put(header, 100, "0000644\0");
    put(header, 108, "0000000\0");
    put(header, 116, "0000000\0");
    put(header, 124, "%011o\0".formatted(data.length));
    put(header, 136, "00000000000\0");
    put(header, 148, "        ");
    header[156] = (byte) type;
    put(header, 157, link);
    put(header, 257, "ustar\0" + "00");
    int sum = 0;
    for (byte b : header) {
      sum += b & 0xff;
    }
    put(header, 148, "%06o\0 ".formatted(sum));
    ByteArrayOutputStream entry = new ByteArrayOutputStream();
    entry.writeBytes(header);
    entry.writeBytes(Arrays.copyOf(data, (data.length + BLOCK - 1) / BLOCK * BLOCK));
    return entry.toByteArray();
  }

  private static void put(byte[] header, int offset, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    System.arraycopy(bytes, 0, header, offset, bytes.length);
  }
}
