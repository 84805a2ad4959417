package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// Writes tar headers by hand (POSIX.1-2017, pax), including some that no tool would write.
final class TarBytes {
  static final int BLOCK = 512;

  private TarBytes() {}

  /// Returns entries with the end of the archive.
  static byte[] archive(byte[]... entries) {
    return joined(joined(entries), new byte[2 * BLOCK]);
  }

  static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      whole.writeBytes(part);
    }
    return whole.toByteArray();
  }

  static byte[] file(String name, byte[] data) {
    return entry(name, '0', "", data);
  }

  static byte[] file(String name, String json) {
    return file(name, json.replace('\'', '"').getBytes(UTF_8));
  }

  static byte[] symbolicLink(String name, String target) {
    return entry(name, '2', target, new byte[0]);
  }

  static byte[] hardLink(String name, String target) {
    return entry(name, '1', target, new byte[0]);
  }

  static byte[] entry(String name, char type, String link, byte[] data) {
    return joined(
        header(name, type, link, "%011o\0".formatted(data.length).getBytes(UTF_8)), padded(data));
  }

  static byte[] padded(byte[] data) {
    return Arrays.copyOf(data, (data.length + BLOCK - 1) / BLOCK * BLOCK);
  }

  /// Returns a header.
  ///
  /// @param size the twelve bytes of the field
  static byte[] header(String name, char type, String link, byte[] size) {
    byte[] header = new byte[BLOCK];
    put(header, 0, name.getBytes(UTF_8));
    put(header, 100, "0000644\0".getBytes(UTF_8));
    put(header, 124, size);
    header[156] = (byte) type;
    put(header, 157, link.getBytes(UTF_8));
    put(header, 257, "ustar\00000".getBytes(UTF_8));
    return checked(header);
  }

  /// Sets the correct checksum.
  static byte[] checked(byte[] header) {
    put(header, 148, "        ".getBytes(UTF_8));
    int sum = 0;
    for (byte b : header) {
      sum += b & 0xff;
    }
    put(header, 148, "%06o\0 ".formatted(sum).getBytes(UTF_8));
    return header;
  }

  /// Returns one record of an extended header.
  static String record(String key, String value) {
    int length = key.length() + value.getBytes(UTF_8).length + 3;
    int digits = String.valueOf(length + String.valueOf(length).length()).length();
    return (length + digits) + " " + key + "=" + value + "\n";
  }

  static void put(byte[] header, int offset, byte[] bytes) {
    System.arraycopy(bytes, 0, header, offset, bytes.length);
  }
}
