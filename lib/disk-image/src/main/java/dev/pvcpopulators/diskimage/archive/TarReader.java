package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Reads the entries of a tar archive (v7, POSIX pax, GNU, star) in order, including sparse files
/// in each format of [SparseMap].
///
/// The number and length of the headers of an entry are limited, and the checksum of each header is
/// verified. An archive that is damaged, or truncated within an entry, causes a
/// [MalformedImageException]. If the source ends between two entries, or directly before the
/// padding of an entry, the archive counts as complete; see [#endMarked]. Exceptions of the source
/// pass through unchanged. Names are returned as written; callers must check that a name does not
/// lead out of the target directory.
///
/// Used by one thread; [#close] may be called from any thread if the source can be closed from any
/// thread.
public final class TarReader implements Closeable {
  private static final int BLOCK = TarHeader.LENGTH;
  private static final int SKIP_LENGTH = 64 << 10;

  /// Maximum number of extended headers (pax, pax global, GNU long names) before one entry.
  private static final int MOST_EXTENSIONS = 64;

  private static final int MODE_BITS = 0xfff;
  private static final long MAX_ID = 0xffff_ffffL;

  private final InputStream source;
  private final boolean seekable;
  private final PaxRecords pax = new PaxRecords();
  private final byte[] skipped = new byte[SKIP_LENGTH];
  private long offset;
  private boolean ended;
  private boolean endMarked;

  // State of the current entry.
  private @Nullable SparseMap sparse;
  private long dataOffset;
  private long stored;
  private int padding;

  // State of the headers of the current entry. The budget is the number of bytes that the entry's
  // further headers may have.
  private int budget;
  private @Nullable ByteString longName;
  private @Nullable ByteString longLinkName;

  /// Creates a reader of a stream.
  ///
  /// @param tar not compressed; owned by this reader from now on
  public TarReader(InputStream tar) {
    this(tar, false);
  }

  private TarReader(InputStream source, boolean seekable) {
    this.source = source;
    this.seekable = seekable;
  }

  /// Creates a reader of a file, from the channel's position on. To skip data, the reader moves the
  /// position of the channel, and does not read the data.
  ///
  /// @param tar owned by the reader from now on
  public static TarReader of(FileChannel tar) {
    return new TarReader(Channels.newInputStream(tar), true);
  }

  /// Skips the rest of the current entry and returns the next entry; empty at the end. GNU volume
  /// headers are skipped, too.
  public Optional<TarMember> next() throws IOException {
    TarMember member = null;
    while (member == null && !ended) {
      finishEntry();
      budget = ArchiveLimits.HEADERS_LENGTH;
      longName = null;
      longLinkName = null;
      pax.begin();
      TarHeader header = nextHeader();
      if (header != null && header.type() == 'V') {
        stored = size(header);
        padding = padding(stored);
      } else if (header != null) {
        member = member(header);
      }
    }
    return Optional.ofNullable(member);
  }

  /// Skips the rest of the current entry and its padding. Some tools, for example umoci, omit the
  /// padding after the last entry; Go's tar reader also accepts such an archive.
  private void finishEntry() throws IOException {
    skipStored(stored);
    stored = 0;
    sparse = null;
    byte[] rest = new byte[padding];
    int count = readUpTo(rest, rest.length);
    if (count == 0 && padding > 0) {
      ended = true;
    } else if (count < padding) {
      throw cut();
    }
    padding = 0;
  }

  /// Reads all extended headers before the next entry, and returns the header of that entry; null
  /// at the end of the archive.
  private @Nullable TarHeader nextHeader() throws IOException {
    boolean pending = false;
    for (int extensions = 0; extensions <= MOST_EXTENSIONS; extensions++) {
      TarHeader header = ended ? null : readHeader();
      if (header == null) {
        if (pending) {
          throw new MalformedImageException(
              "tar extended header", offset, "expected an entry after it, found the end");
        }
        return null;
      }
      switch (header.type()) {
        case 'x', 'X' -> pax.read(extension(header));
        case 'g' -> pax.readGlobal(extension(header));
        case 'L' -> longName = text(extension(header));
        case 'K' -> longLinkName = text(extension(header));
        default -> {
          return header;
        }
      }
      pending |= header.type() != 'g';
    }
    throw new MalformedImageException(
        "tar header", offset, "more than " + MOST_EXTENSIONS + " headers for one entry");
  }

  /// Returns the next header; null at the end of the archive. The end is a block of zeros, an
  /// incomplete block of zeros at the end of the source, or the end of the source.
  private @Nullable TarHeader readHeader() throws IOException {
    long start = offset;
    byte[] block = new byte[BLOCK];
    int count = readUpTo(block, BLOCK);
    if (Arrays.equals(block, 0, count, new byte[BLOCK], 0, count)) {
      ended = true;
      endMarked = count == BLOCK;
      return null;
    }
    if (count < BLOCK) {
      throw cut();
    }
    return new TarHeader(block, start);
  }

  private byte[] extension(TarHeader header) throws IOException {
    long size = header.size();
    if (size < 0) {
      throw new MalformedImageException("tar header", header.offset(), "its size is negative");
    }
    budget -= (int) Math.min(size, budget + 1L);
    requireBudget();
    byte[] data = new byte[(int) size + padding(size)];
    readFully(data, data.length);
    return Arrays.copyOf(data, (int) size);
  }

  private void requireBudget() throws MalformedImageException {
    if (budget < 0) {
      throw new MalformedImageException(
          "tar header",
          offset,
          "the headers of one entry are longer than " + ArchiveLimits.HEADERS_LENGTH + " bytes");
    }
  }

  private static ByteString text(byte[] data) {
    return ByteString.beforeNul(data, 0, data.length);
  }

  private static int padding(long size) {
    return (int) (-size & (BLOCK - 1));
  }

  private TarMember member(TarHeader header) throws IOException {
    ByteString name = pax.name().orElseGet(() -> longName == null ? header.name() : longName);
    TarMember.Type type = type(header, name);
    long size = size(header);
    if (type == TarMember.Type.DIRECTORY && header.type() != '5' && size != 0) {
      throw malformed(
          name,
          "expected no data, because a file whose name ends with a slash is a directory, found "
              + size
              + " bytes");
    }
    stored =
        switch (type) {
          case FILE, OTHER -> size;
          case DIRECTORY, SYMBOLIC_LINK, HARD_LINK, CHARACTER_DEVICE, BLOCK_DEVICE, FIFO -> 0;
        };
    padding = padding(stored);
    if (type == TarMember.Type.FILE) {
      sparse = SparseMap.read(header, pax, () -> sparseBlock(header)).orElse(null);
    }
    dataOffset = offset;
    if (sparse != null && sparse.dataLength() > stored) {
      throw malformed(name, "expected " + sparse.dataLength() + " bytes of data, found less");
    }
    boolean file = type == TarMember.Type.FILE;
    boolean link = type == TarMember.Type.SYMBOLIC_LINK || type == TarMember.Type.HARD_LINK;
    boolean device = type == TarMember.Type.CHARACTER_DEVICE || type == TarMember.Type.BLOCK_DEVICE;
    return new TarMember(
        name,
        link ? linkName(header) : ByteString.EMPTY,
        type,
        header.mode() & MODE_BITS,
        id(name, pax.number("uid").orElse(header.user())),
        id(name, pax.number("gid").orElse(header.group())),
        pax.modified().orElse(instant(header.modified(), 0)),
        device ? deviceNumber(name, "SCHILY.devmajor", header.deviceMajor()) : 0,
        device ? deviceNumber(name, "SCHILY.devminor", header.deviceMinor()) : 0,
        size,
        sparse != null ? sparse.length() : file ? size : 0,
        sparse != null ? sparse.dataLength() : file ? size : 0,
        pax.attributes(),
        pax.accessLists());
  }

  /// Reads a block of a sparse map. The old GNU format and pax 1.0 have such blocks; the blocks
  /// precede the file's data. The entry's size includes the blocks of pax 1.0, but not the blocks
  /// of the old GNU format.
  private byte[] sparseBlock(TarHeader header) throws IOException {
    budget -= BLOCK;
    requireBudget();
    byte[] block = new byte[BLOCK];
    if (header.type() != 'S') {
      if (stored < BLOCK) {
        throw new MalformedImageException(
            "tar sparse map", offset, "expected more lines, found the end of the entry");
      }
      stored -= BLOCK;
    }
    readFully(block, BLOCK);
    return block;
  }

  private ByteString linkName(TarHeader header) {
    return pax.linkName().orElseGet(() -> longLinkName == null ? header.linkName() : longLinkName);
  }

  private long size(TarHeader header) throws MalformedImageException {
    OptionalLong extended = pax.size();
    long size = extended.isPresent() ? extended.getAsLong() : header.size();
    if (size < 0) {
      throw new MalformedImageException("tar header", header.offset(), "its size is negative");
    }
    return size;
  }

  private static TarMember.Type type(TarHeader header, ByteString name) {
    return switch (header.type()) {
      case '1' -> TarMember.Type.HARD_LINK;
      case '2' -> TarMember.Type.SYMBOLIC_LINK;
      case '3' -> TarMember.Type.CHARACTER_DEVICE;
      case '4' -> TarMember.Type.BLOCK_DEVICE;
      case '5' -> TarMember.Type.DIRECTORY;
      case '6' -> TarMember.Type.FIFO;
      case 0, '0', '7', 'S' ->
          // Before POSIX, only a slash at the end of the name marked a directory.
          name.latin1().endsWith("/") ? TarMember.Type.DIRECTORY : TarMember.Type.FILE;
      default -> TarMember.Type.OTHER;
    };
  }

  /// Returns the ID as an unsigned number of 32 bits. Programs that use signed IDs write negative
  /// numbers, down to -2³¹.
  private static long id(ByteString name, long id) throws MalformedImageException {
    if (id < Integer.MIN_VALUE || id > MAX_ID) {
      throw malformed(name, "expected an owner of 32 bits, found " + id);
    }
    return id & MAX_ID;
  }

  private int deviceNumber(ByteString name, String key, long inHeader)
      throws MalformedImageException {
    long number = pax.number(key).orElse(inHeader);
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw malformed(name, "expected a device's number, found " + number);
    }
    return (int) number;
  }

  static Instant instant(long seconds, int nanos) throws MalformedImageException {
    if (seconds <= Instant.MIN.getEpochSecond() || seconds >= Instant.MAX.getEpochSecond()) {
      throw new MalformedImageException(
          "tar header", -1, "its modification time is out of range: " + seconds);
    }
    return Instant.ofEpochSecond(seconds, nanos);
  }

  private static MalformedImageException malformed(ByteString name, String reason) {
    return new MalformedImageException("tar entry " + Quoted.of(name.toString()), -1, reason);
  }

  /// Reads data of the current entry. Holes read as zeros.
  ///
  /// @return number of bytes, possibly fewer than requested, for example at a boundary between data
  ///   and a hole; -1 at the entry's end
  public int read(byte[] target, int start, int wanted) throws IOException {
    if (wanted == 0) {
      return 0;
    }
    if (sparse == null) {
      return stored == 0 ? -1 : readStored(target, start, wanted);
    }
    int hole = (int) Math.min(wanted, sparse.hole());
    if (hole > 0) {
      Arrays.fill(target, start, start + hole, (byte) 0);
      sparse.advance(hole);
      return hole;
    }
    int data = (int) Math.min(wanted, sparse.data());
    if (data == 0) {
      return -1;
    }
    int count = readStored(target, start, data);
    sparse.advance(count);
    return count;
  }

  private int readStored(byte[] target, int start, int wanted) throws IOException {
    int count = source.read(target, start, (int) Math.min(wanted, stored));
    if (count < 0) {
      throw cut();
    }
    offset += count;
    stored -= count;
    return count;
  }

  /// Returns how many bytes of the hole at the current position remain; 0 if the position is not in
  /// a hole.
  public long hole() {
    return sparse == null ? 0 : sparse.hole();
  }

  /// If the current position is in a hole, moves it to the end of the hole, so that [#read] does
  /// not return the hole's zeros. Otherwise does nothing.
  public void skipHole() {
    if (sparse != null) {
      sparse.advance(sparse.hole());
    }
  }

  /// Returns the offset of the current entry's data in the archive, in bytes; empty for a sparse
  /// entry, because [#read] also returns its holes, which are not stored.
  public OptionalLong dataOffset() {
    return sparse == null ? OptionalLong.of(dataOffset) : OptionalLong.empty();
  }

  /// Returns true if [#next] found a complete block of zeros as the end of the archive. Returns
  /// false if the source ended without such a block, or if [#next] has not reached the end yet.
  public boolean endMarked() {
    return endMarked;
  }

  /// Returns how many bytes of the archive, not only of the current entry, can be read without
  /// blocking.
  public int available() throws IOException {
    return source.available();
  }

  /// Reads the source to its end, so that the source makes its own checks, for example of a
  /// checksum.
  public void drain() throws IOException {
    // Data after the end of an archive is ignored; GNU tar and Docker ignore it, too.
    source.transferTo(OutputStream.nullOutputStream());
  }

  private void skipStored(long count) throws IOException {
    long left = count;
    while (left > 0) {
      long done =
          seekable ? source.skip(left) : source.read(skipped, 0, (int) Math.min(left, SKIP_LENGTH));
      if (done <= 0) {
        throw cut();
      }
      offset += done;
      left -= done;
    }
  }

  private void readFully(byte[] target, int length) throws IOException {
    if (readUpTo(target, length) < length) {
      throw cut();
    }
  }

  /// Reads until the length is reached or the source ends.
  private int readUpTo(byte[] target, int length) throws IOException {
    int count = source.readNBytes(target, 0, length);
    offset += count;
    return count;
  }

  private MalformedImageException cut() {
    return new MalformedImageException(
        "tar archive", offset, "expected more data, found the end of the source");
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
