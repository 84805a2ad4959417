package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/// The data parts and holes of a sparse file, and the current position in that file (GNU tar
/// manual, "Storing Sparse Files").
///
/// | Format  | The map is in                                                                 |
/// |---------|-------------------------------------------------------------------------------|
/// | old GNU | the header (type `S`), and blocks of 21 parts after it                        |
/// | pax 0.0 | records `GNU.sparse.offset` and `GNU.sparse.numbytes`, one pair for each part |
/// | pax 0.1 | the record `GNU.sparse.map`, all numbers separated by commas                  |
/// | pax 1.0 | blocks before the data: decimal lines, first the number of parts              |
final class SparseMap {
  static final String OFFSET = PaxRecords.SPARSE + "offset";
  static final String COUNT = PaxRecords.SPARSE + "numbytes";

  private static final int PARTS_IN_HEADER = 4;
  private static final int PARTS_IN_BLOCK = 21;
  private static final int MORE_IN_BLOCK = 504;
  private static final int PART_LENGTH = 2 * TarHeader.NUMBER_LENGTH;
  private static final int MOST_DIGITS = 18;

  private final long length;
  private long[] parts = new long[2 * PARTS_IN_BLOCK];
  private int used;
  private long end;
  private long dataLength;
  private long position;
  private int next;

  /// Creates an empty map.
  ///
  /// @param length the length of the file in bytes, holes included
  private SparseMap(long length) throws MalformedImageException {
    if (length < 0) {
      throw malformed("the file's length is negative");
    }
    this.length = length;
  }

  /// Reads the next block of the map from the archive, and counts it against the limit for the
  /// headers of an entry.
  @FunctionalInterface
  interface Blocks {
    byte[] next() throws IOException;
  }

  /// Reads the map of an entry; returns empty if the entry is not a sparse file.
  static Optional<SparseMap> read(TarHeader header, PaxRecords pax, Blocks blocks)
      throws IOException {
    if (header.type() == 'S') {
      return Optional.of(oldGnu(header, blocks));
    }
    OptionalLong major = pax.number(PaxRecords.SPARSE + "major");
    if (major.isPresent()) {
      OptionalLong minor = pax.number(PaxRecords.SPARSE + "minor");
      if (major.getAsLong() != 1 || minor.orElse(0) != 0) {
        throw new UnsupportedFeatureException(
            "tar sparse map: expected version 0.0, 0.1 or 1.0, found %s.%s"
                .formatted(major.getAsLong(), minor.orElse(0)));
      }
      SparseMap map = new SparseMap(required(pax, "realsize"));
      map.readLines(blocks);
      return Optional.of(map);
    }
    Optional<ByteString> list = pax.get(PaxRecords.SPARSE + "map");
    if (list.isEmpty() && pax.number(PaxRecords.SPARSE + "size").isEmpty()) {
      return Optional.empty();
    }
    SparseMap map = new SparseMap(required(pax, "size"));
    if (list.isPresent()) {
      map.addAll(list.get().latin1().split(",", -1));
    } else {
      map.addAll(pax.sparseParts().stream().map(ByteString::latin1).toArray(String[]::new));
    }
    return Optional.of(map);
  }

  private static SparseMap oldGnu(TarHeader header, Blocks blocks) throws IOException {
    SparseMap map = new SparseMap(header.sparseLength());
    byte[] block = header.block();
    map.addParts(block, TarHeader.SPARSE_PARTS, PARTS_IN_HEADER, header.offset());
    boolean more = block[TarHeader.SPARSE_MORE] != 0;
    while (more) {
      block = blocks.next();
      map.addParts(block, 0, PARTS_IN_BLOCK, header.offset());
      more = block[MORE_IN_BLOCK] != 0;
    }
    return map;
  }

  private void addParts(byte[] block, int start, int count, long offset)
      throws MalformedImageException {
    for (int i = 0; i < count; i++) {
      int at = start + i * PART_LENGTH;
      // The two fields of an unused part contain only the digit 0 or only NUL bytes.
      add(
          TarHeader.number(block, at, TarHeader.NUMBER_LENGTH, offset),
          TarHeader.number(block, at + TarHeader.NUMBER_LENGTH, TarHeader.NUMBER_LENGTH, offset));
    }
  }

  private void addAll(String[] numbers) throws MalformedImageException {
    if (numbers.length % 2 != 0) {
      throw malformed("expected pairs of offset and length");
    }
    for (int i = 0; i < numbers.length; i += 2) {
      add(
          PaxRecords.number(OFFSET, new ByteString(numbers[i])),
          PaxRecords.number(COUNT, new ByteString(numbers[i + 1])));
    }
  }

  private void readLines(Blocks blocks) throws IOException {
    Lines lines = new Lines(blocks);
    long count = lines.next();
    for (long i = 0; i < count; i++) {
      long offset = lines.next();
      add(offset, lines.next());
    }
  }

  /// Reads the decimal lines of a map of version 1.0. The map is padded to whole blocks.
  private static final class Lines {
    private final Blocks blocks;
    private byte[] block = new byte[0];
    private int at;

    Lines(Blocks blocks) {
      this.blocks = blocks;
    }

    long next() throws IOException {
      long value = 0;
      int digits = 0;
      byte digit = nextByte();
      while (digit != '\n') {
        if (digit < '0' || digit > '9' || ++digits > MOST_DIGITS) {
          throw malformed("expected lines of at most " + MOST_DIGITS + " digits");
        }
        value = value * 10 + digit - '0';
        digit = nextByte();
      }
      if (digits == 0) {
        throw malformed("expected a number, found an empty line");
      }
      return value;
    }

    private byte nextByte() throws IOException {
      if (at == block.length) {
        block = blocks.next();
        at = 0;
      }
      return block[at++];
    }
  }

  private static long required(PaxRecords pax, String key) throws MalformedImageException {
    return pax.number(PaxRecords.SPARSE + key)
        .orElseThrow(() -> malformed("the file's length is missing"));
  }

  private void add(long offset, long count) throws MalformedImageException {
    if (count == 0) {
      return;
    }
    if (offset < end || count < 0 || offset > length || count > length - offset) {
      throw malformed(
          "expected data of ascending offsets in a file of %s bytes, found %s bytes at %s"
              .formatted(length, count, offset));
    }
    if (used == parts.length) {
      parts = Arrays.copyOf(parts, 2 * used);
    }
    parts[used++] = offset;
    parts[used++] = count;
    end = offset + count;
    dataLength += count;
  }

  long length() {
    return length;
  }

  /// Returns the number of bytes outside holes.
  long dataLength() {
    return dataLength;
  }

  /// Returns how many bytes of the hole at the current position remain; 0 if the position is not in
  /// a hole.
  long hole() {
    return next < used ? Math.max(parts[next] - position, 0) : length - position;
  }

  /// Returns how many bytes of the data part at the current position remain; 0 if the position is
  /// not in a data part.
  long data() {
    return hole() > 0 || next == used ? 0 : parts[next] + parts[next + 1] - position;
  }

  /// Moves the position forward.
  ///
  /// @param count the number of bytes: at most [#hole] if the position is in a hole, and at most
  ///   [#data] if it is in a data part
  void advance(long count) {
    position += count;
    if (next < used && position == parts[next] + parts[next + 1]) {
      next += 2;
    }
  }

  private static MalformedImageException malformed(String reason) {
    return new MalformedImageException("tar sparse map", -1, reason);
  }
}
