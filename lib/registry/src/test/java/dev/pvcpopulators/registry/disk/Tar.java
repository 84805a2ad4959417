package dev.pvcpopulators.registry.disk;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// Writes ustar archives by hand (POSIX.1-2017, pax), including some that no tool would write.
final class Tar {
  private static final int BLOCK = 512;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  Tar file(String name, byte[] data) {
    return entry(name, '0', "", data);
  }

  Tar file(String name, String text) {
    return file(name, text.getBytes(UTF_8));
  }

  /// Adds an empty file, such as a whiteout.
  Tar empty(String name) {
    return file(name, new byte[0]);
  }

  Tar directory(String name) {
    return entry(name, '5', "", new byte[0]);
  }

  Tar symbolicLink(String name, String target) {
    return entry(name, '2', target, new byte[0]);
  }

  Tar hardLink(String name, String target) {
    return entry(name, '1', target, new byte[0]);
  }

  Tar entry(String name, char type, String link, byte[] data) {
    bytes.writeBytes(header(name, type, link, data.length));
    bytes.writeBytes(Arrays.copyOf(data, (data.length + BLOCK - 1) / BLOCK * BLOCK));
    return this;
  }

  Tar raw(byte[] block) {
    bytes.writeBytes(block);
    return this;
  }

  /// Returns the archive without the end-of-archive blocks.
  byte[] open() {
    return bytes.toByteArray();
  }

  byte[] end() {
    return raw(new byte[2 * BLOCK]).open();
  }

  static byte[] header(String name, char type, String link, long length) {
    byte[] header = new byte[BLOCK];
    put(header, 0, name);
    put(header, 100, "0000644\0");
    put(header, 108, "0000000\0");
    put(header, 116, "0000000\0");
    if (length >= 0 && length < 1L << 33) {
      number(header, 124, length);
    } else {
      // Base 256, two's complement, if the octal digits are not enough (GNU tar).
      Arrays.fill(header, 124, 128, (byte) (length < 0 ? 0xff : 0));
      header[124] |= (byte) 0x80;
      for (int i = 0; i < 8; i++) {
        header[135 - i] = (byte) (length >> (8 * i));
      }
    }
    put(header, 136, "00000000000\0");
    header[156] = (byte) type;
    put(header, 157, link);
    put(header, 257, "ustar\0" + "00");
    return checked(header);
  }

  /// Returns the header of a sparse file with one piece of data at its end (GNU tar, "Sparse
  /// Formats", Old GNU Format).
  static byte[] sparseHeader(String name, long realSize, int dataLength) {
    byte[] header = header(name, 'S', "", dataLength);
    put(header, 257, "ustar  \0");
    number(header, 386, realSize - dataLength);
    number(header, 398, dataLength);
    number(header, 483, realSize);
    return checked(header);
  }

  private static void number(byte[] header, int offset, long value) {
    put(header, offset, "%011o\0".formatted(value));
  }

  private static byte[] checked(byte[] header) {
    put(header, 148, "        ");
    int sum = 0;
    for (byte b : header) {
      sum += b & 0xff;
    }
    put(header, 148, "%06o\0 ".formatted(sum));
    return header;
  }

  private static void put(byte[] header, int offset, String text) {
    byte[] field = text.getBytes(UTF_8);
    System.arraycopy(field, 0, header, offset, field.length);
  }
}
