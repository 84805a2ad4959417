package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/// Reads the headers of a program to determine whether the program needs a dynamic linker (System V
/// ABI, "Object Files" and "Program Header"; 64-bit, little-endian).
///
/// | Offset | Bytes | Field       |
/// |-------:|------:|-------------|
/// |      0 |     4 | `e_ident`: 0x7f `ELF` |
/// |      4 |     1 | `EI_CLASS`: 2 = 64 bits |
/// |      5 |     1 | `EI_DATA`: 1 = little-endian |
/// |     32 |     8 | `e_phoff`: offset of the program headers |
/// |     54 |     2 | `e_phentsize`: length of one program header |
/// |     56 |     2 | `e_phnum`: number of program headers |
final class ElfFile {
  private static final int MAGIC = 0x464c_457f;
  private static final int CLASS = 4;
  private static final int CLASS_64 = 2;
  private static final int DATA = 5;
  private static final int DATA_LITTLE_ENDIAN = 1;
  private static final int HEADER_LENGTH = 64;
  private static final int HEADERS_OFFSET = 32;
  private static final int HEADER_ENTRY_LENGTH = 54;
  private static final int HEADER_COUNT = 56;
  private static final int PT_INTERP = 3;

  /// The number of bytes to read from the beginning of a file. These bytes contain the program
  /// headers, because linkers write the program headers directly after the file's header.
  private static final int BEGINNING = 1 << 16;

  private ElfFile() {}

  /// Returns whether a file is a program that runs without a dynamic linker. Also returns false if
  /// the program is not 64-bit or not little-endian, or if its program headers are not within the
  /// first 64 KiB.
  static boolean linkedStatically(Path file) throws IOException {
    ByteBuffer beginning;
    try (InputStream stream = Files.newInputStream(file)) {
      beginning = ByteBuffer.wrap(stream.readNBytes(BEGINNING)).order(ByteOrder.LITTLE_ENDIAN);
    }
    if (beginning.limit() < HEADER_LENGTH
        || beginning.getInt(0) != MAGIC
        || beginning.get(CLASS) != CLASS_64
        || beginning.get(DATA) != DATA_LITTLE_ENDIAN) {
      return false;
    }
    long headers = beginning.getLong(HEADERS_OFFSET);
    int length = Short.toUnsignedInt(beginning.getShort(HEADER_ENTRY_LENGTH));
    int count = Short.toUnsignedInt(beginning.getShort(HEADER_COUNT));
    if (headers < HEADER_LENGTH
        || headers > beginning.limit()
        || length < Integer.BYTES
        || headers + (long) count * length > beginning.limit()) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (beginning.getInt((int) headers + i * length) == PT_INTERP) {
        return false;
      }
    }
    return true;
  }
}
