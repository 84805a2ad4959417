package dev.pvcpopulators.it.layers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/// Writes tar archives byte by byte (POSIX.1-1988, ustar; GNU's numbers), including invalid ones.
/// The caller owns the stream.
final class TarBytes {
  static final int BLOCK = 512;
  static final char FILE = '0';
  static final char HARD_LINK = '1';
  static final char SYMLINK = '2';
  static final char CHARACTER_DEVICE = '3';
  static final char DIRECTORY = '5';
  static final char PAX = 'x';

  private static final long MAX_OCTAL = 077777777777L;
  private final OutputStream out;

  TarBytes(OutputStream out) {
    this.out = out;
  }

  /// Writes the header of a member.
  ///
  /// @param size the announced size; a number that does not fit into octal digits is written as
  ///   GNU's binary number
  TarBytes header(char type, String name, String target, long size) throws IOException {
    byte[] block = new byte[BLOCK];
    text(block, 0, name);
    number(block, 100, 8, 0644);
    number(block, 108, 8, 0);
    number(block, 116, 8, 0);
    number(block, 124, 12, size);
    number(block, 136, 12, 1_700_000_000);
    block[156] = (byte) type;
    text(block, 157, target);
    text(block, 257, "ustar");
    text(block, 263, "00");
    number(block, 329, 8, 1);
    number(block, 337, 8, 3);
    Arrays.fill(block, 148, 156, (byte) ' ');
    int sum = 0;
    for (byte one : block) {
      sum += one & 0xff;
    }
    text(block, 148, "%06o".formatted(sum));
    block[154] = 0;
    out.write(block);
    return this;
  }

  TarBytes header(char type, String name) throws IOException {
    return header(type, name, "", 0);
  }

  /// Writes a file with contents.
  TarBytes file(String name, String contents) throws IOException {
    byte[] bytes = contents.getBytes(UTF_8);
    header(FILE, name, "", bytes.length);
    return padded(bytes);
  }

  /// Writes a PAX header with one record before the next member.
  ///
  /// @param length the length of the value, which repeats one byte
  TarBytes pax(String key, int length) throws IOException {
    int without = 1 + key.length() + 1 + length + 1;
    int digits = Integer.toString(without).length();
    int total = without + Integer.toString(without + digits).length();
    header(PAX, "pax", "", total);
    byte[] record = new byte[total];
    Arrays.fill(record, (byte) 'v');
    text(record, 0, total + " " + key + "=");
    record[total - 1] = '\n';
    return padded(record);
  }

  /// Writes this many zeros.
  TarBytes zeros(long length) throws IOException {
    byte[] block = new byte[1 << 16];
    for (long left = length; left > 0; left -= block.length) {
      out.write(block, 0, (int) Math.min(left, block.length));
    }
    return this;
  }

  void end() throws IOException {
    zeros(2 * BLOCK);
  }

  private TarBytes padded(byte[] bytes) throws IOException {
    out.write(bytes);
    return zeros(Math.floorMod(-bytes.length, BLOCK));
  }

  private static void text(byte[] block, int at, String text) {
    byte[] bytes = text.getBytes(ISO_8859_1);
    System.arraycopy(bytes, 0, block, at, bytes.length);
  }

  private static void number(byte[] block, int at, int width, long value) {
    if (value <= MAX_OCTAL) {
      text(block, at, ("%0" + (width - 1) + "o").formatted(value));
      return;
    }
    for (int i = width - 1; i > 0; i--) {
      block[at + i] = (byte) (value >> (8 * (width - 1 - i)));
    }
    block[at] = (byte) 0x80;
  }
}
