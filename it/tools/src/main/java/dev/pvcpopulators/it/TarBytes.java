package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// The parts of a tar archive (POSIX.1-2017, pax; GNU tar), including parts that no tool writes.
/// [TarWriter] writes the parts one after another.
public final class TarBytes {
  /// The length of a header in bytes. The data is padded to a multiple of this length.
  public static final int BLOCK = 512;

  private static final int SIZE = 124;
  private static final int NUMBER_LENGTH = 12;
  private static final int CHECKSUM = 148;

  private TarBytes() {}

  /// Returns an archive of the given entries, with the two blocks of zeros at its end.
  public static byte[] archive(byte[]... entries) {
    return joined(joined(entries), new byte[2 * BLOCK]);
  }

  public static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      whole.writeBytes(part);
    }
    return whole.toByteArray();
  }

  public static byte[] file(String name, byte[] data) {
    return entry(name, '0', "", data);
  }

  public static byte[] symbolicLink(String name, String target) {
    return entry(name, '2', target, new byte[0]);
  }

  public static byte[] hardLink(String name, String target) {
    return entry(name, '1', target, new byte[0]);
  }

  public static byte[] entry(String name, char type, String link, byte[] data) {
    return joined(header(name, type, link, data.length), padded(data));
  }

  /// Returns the data, padded with zeros to whole blocks.
  public static byte[] padded(byte[] data) {
    return Arrays.copyOf(data, (data.length + BLOCK - 1) / BLOCK * BLOCK);
  }

  /// Returns a header.
  ///
  /// @param length the number of data bytes that the header states; the real number may differ
  public static byte[] header(String name, char type, String link, long length) {
    return header(name, type, link, number(NUMBER_LENGTH, length));
  }

  /// Returns the header of an entry that is owned by root and has a time in 1970. The mode is 0755
  /// for a directory, and 0644 for every other entry.
  ///
  /// @param size the bytes to write into the size field of the header
  public static byte[] header(String name, char type, String link, byte[] size) {
    byte[] header = new byte[BLOCK];
    put(header, 0, name.getBytes(UTF_8));
    put(header, 100, number(8, type == '5' ? 0755 : 0644));
    put(header, 108, number(8, 0));
    put(header, 116, number(8, 0));
    put(header, SIZE, size);
    put(header, 136, number(NUMBER_LENGTH, 0));
    header[156] = (byte) type;
    put(header, 157, link.getBytes(UTF_8));
    put(header, 257, ("ustar\0" + "00").getBytes(UTF_8));
    put(header, 329, number(8, 0));
    put(header, 337, number(8, 0));
    return checked(header);
  }

  /// Returns the header of a sparse file with one piece of data at its end (GNU tar, "Sparse
  /// Formats", Old GNU Format).
  public static byte[] sparseHeader(String name, long realSize, int dataLength) {
    byte[] header = header(name, 'S', "", dataLength);
    put(header, 257, "ustar  \0".getBytes(UTF_8));
    put(header, 386, number(NUMBER_LENGTH, realSize - dataLength));
    put(header, 398, number(NUMBER_LENGTH, dataLength));
    put(header, 483, number(NUMBER_LENGTH, realSize));
    return checked(header);
  }

  /// Returns a number in octal, or in base 256 (GNU tar) if the number is negative or too large for
  /// octal.
  ///
  /// @param length the length of the field in bytes
  public static byte[] number(int length, long value) {
    if (value >= 0 && value < 1L << (3 * (length - 1))) {
      return ("%0" + (length - 1) + "o\0").formatted(value).getBytes(UTF_8);
    }
    byte[] field = new byte[length];
    for (int i = 0; i < length; i++) {
      field[length - 1 - i] = (byte) (i < Long.BYTES ? value >> (8 * i) : value >> 63);
    }
    field[0] |= (byte) 0x80;
    return field;
  }

  /// Sets the correct checksum, and returns the same header.
  public static byte[] checked(byte[] header) {
    put(header, CHECKSUM, "        ".getBytes(UTF_8));
    int sum = 0;
    for (byte b : header) {
      sum += b & 0xff;
    }
    put(header, CHECKSUM, "%06o\0 ".formatted(sum).getBytes(UTF_8));
    return header;
  }

  public static void put(byte[] header, int offset, byte[] field) {
    System.arraycopy(field, 0, header, offset, field.length);
  }

  /// Returns the records of an extended header.
  ///
  /// @param keysAndValues alternating keys and values, with one character per byte (ISO 8859-1)
  public static byte[] records(String... keysAndValues) {
    ByteArrayOutputStream records = new ByteArrayOutputStream();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      String rest = " " + keysAndValues[i] + "=" + keysAndValues[i + 1] + "\n";
      int length = rest.length() + 1;
      while (String.valueOf(length).length() + rest.length() != length) {
        length = String.valueOf(length).length() + rest.length();
      }
      records.writeBytes((length + rest).getBytes(ISO_8859_1));
    }
    return records.toByteArray();
  }

  /// Returns one record of an extended header. The record begins with its own length, counted in
  /// bytes of UTF-8.
  public static String record(String key, String value) {
    byte[] bytes = records(key, new String(value.getBytes(UTF_8), ISO_8859_1));
    return new String(bytes, UTF_8);
  }
}
