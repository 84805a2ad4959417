package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.format.ClusterCompression;
import dev.pvcpopulators.diskimage.qcow2.format.HeaderExtensions;
import dev.pvcpopulators.diskimage.qcow2.format.HostBytes;
import dev.pvcpopulators.diskimage.qcow2.format.L1Table;
import dev.pvcpopulators.diskimage.qcow2.format.L2Entry;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Format;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Header;
import dev.pvcpopulators.diskimage.qcow2.format.TableBudget;
import dev.pvcpopulators.linux.NativeFile;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/// One file of a stack, read on demand. The header and the L1 table are validated when the file is
/// opened; each L2 entry is validated when it is used.
final class Qcow2File implements Closeable, HostBytes {
  private final int ordinal;
  private final NativeFile file;
  private final Qcow2Header header;
  private final L1Table l1;
  private final Shared shared;
  private final int regionBits;
  private final int sliceEntries;
  private long sliceOffset;
  private long[] slice = new long[0];

  private Qcow2File(int ordinal, NativeFile file, Qcow2Header header, L1Table l1, Shared shared) {
    this.ordinal = ordinal;
    this.file = file;
    this.header = header;
    this.l1 = l1;
    this.shared = shared;
    this.regionBits = Long.numberOfTrailingZeros(header.l2Coverage());
    this.sliceEntries = Math.min(L2Slices.ENTRIES, header.l2Entries());
  }

  /// State shared by the files of one stack.
  ///
  /// @param scratch native memory of at least [L1Table#PAGE_LENGTH] bytes
  record Shared(long virtualSize, L2Slices slices, MemorySegment scratch, TableBudget budget) {}

  /// Opens a file and reads its header and L1 table.
  ///
  /// @param ordinal the file's position in the stack; the bottom file has 0
  /// @param below the expected backing file; empty if the file must not have a backing file
  static Qcow2File open(Path path, int ordinal, Optional<Path> below, Shared shared)
      throws IOException {
    NativeFile file = NativeFile.openToRead(path, NativeFile.Links.FOLLOWED);
    try {
      if (!file.status().regularFile()) {
        throw new MalformedImageException("file", -1, path + " is not a regular file");
      }
      Qcow2Header header = header(file, path, below, shared);
      L1Table l1 = L1Table.read(file::read, header, shared.scratch, shared.budget);
      return new Qcow2File(ordinal, file, header, l1, shared);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static Qcow2Header header(NativeFile file, Path path, Optional<Path> below, Shared shared)
      throws IOException {
    MemorySegment page = shared.scratch;
    Qcow2Header header =
        Qcow2Header.readOverlay(prefix(file, page.asSlice(0, Qcow2Format.HEADER_LENGTH_KNOWN)));
    if (header.features().extendedL2()) {
      throw new UnsupportedFeatureException(
          path + " has extended L2 entries, which are not read in a stack");
    }
    if (header.virtualSize() != shared.virtualSize) {
      throw new MalformedImageException(
          "qcow2 header",
          0,
          "the virtual size of %s is %d bytes, expected %d"
              .formatted(path, header.virtualSize(), shared.virtualSize));
    }
    // If a cluster is longer than the scratch memory, only the beginning of the cluster is read.
    // Header extensions and a backing file name of usual length are within this part.
    int length = Math.min(header.clusterSize(), (int) page.byteSize());
    ByteBuffer cluster = prefix(file, page.asSlice(0, length));
    HeaderExtensions extensions =
        HeaderExtensions.read(cluster, header.headerLength(), header.clusterSize());
    extensions.requireKnown(header.features());
    requireBacking(header, extensions, cluster, path, below);
    return header;
  }

  private static ByteBuffer prefix(NativeFile file, MemorySegment target) throws IOException {
    return target.asSlice(0, file.read(0, target)).asByteBuffer();
  }

  private static void requireBacking(
      Qcow2Header header,
      HeaderExtensions extensions,
      ByteBuffer cluster,
      Path path,
      Optional<Path> below)
      throws MalformedImageException {
    if (below.isEmpty() || header.backingOffset() == 0) {
      if (below.isPresent() || header.backingOffset() != 0) {
        throw new MalformedImageException(
            "backing file name",
            header.backingOffset(),
            below.isEmpty()
                ? path + " has one, and nothing lies below it"
                : path + " has none, and lies over " + below.get());
      }
      return;
    }
    String format = extensions.backingFormat().orElse(Qcow2Format.BACKING_FORMAT);
    if (!format.equals(Qcow2Format.BACKING_FORMAT)) {
      throw new MalformedImageException(
          "backing file format", -1, "%s says \"%s\", expected qcow2".formatted(path, format));
    }
    String name = backingName(header, cluster);
    if (!names(path, name, below.get())) {
      throw new MalformedImageException(
          "backing file name",
          header.backingOffset(),
          "that of %s does not lead to %s".formatted(path, below.get()));
    }
  }

  private static String backingName(Qcow2Header header, ByteBuffer cluster)
      throws MalformedImageException {
    long offset = header.backingOffset();
    int length = header.backingLength();
    boolean within =
        length > 0
            && length <= Qcow2Format.MAX_BACKING_NAME_LENGTH
            && offset > 0
            && offset <= cluster.limit() - length;
    if (!within) {
      throw new MalformedImageException(
          "qcow2 header",
          0,
          "a backing file name has 1–1,023 bytes in the first %d, found %s at byte %s"
              .formatted(
                  cluster.limit(),
                  Integer.toUnsignedString(length),
                  Long.toUnsignedString(offset)));
    }
    byte[] name = new byte[length];
    cluster.get((int) offset, name);
    return new String(name, StandardCharsets.UTF_8);
  }

  /// Compares the paths as text, so that no file that an image names is accessed.
  private static boolean names(Path file, String backingName, Path below) {
    Path absolute = file.toAbsolutePath();
    try {
      Path named = absolute.resolveSibling(backingName);
      return named.normalize().equals(below.toAbsolutePath().normalize());
    } catch (InvalidPathException _) {
      return false;
    }
  }

  int clusterBits() {
    return header.clusterBits();
  }

  ClusterCompression compression() {
    return header.compression();
  }

  /// Returns the L2 entry for a guest offset.
  ///
  /// @throws MalformedImageException if the entry is invalid, or if the file ends before the end of
  ///   the L2 slice that contains the entry
  L2Entry entry(long guestOffset) throws IOException {
    long table = l1.get(region(guestOffset));
    if (table == 0) {
      return L2Entry.UNALLOCATED;
    }
    int index = index(guestOffset);
    L2Entry entry = new L2Entry(slice(table, index)[index % sliceEntries]);
    check(entry, table + (long) index * Long.BYTES);
    return entry;
  }

  /// Returns how many bytes from a guest offset on are mapped in the same way: unallocated, zeros,
  /// consecutive host clusters, or one compressed cluster.
  ///
  /// @param limit bytes, at least 1
  /// @return 1 to `limit`; more bytes may be mapped in the same way
  long run(long guestOffset, long limit) throws IOException {
    long inCluster = header.clusterSize() - (guestOffset & (header.clusterSize() - 1));
    if (limit <= inCluster) {
      return limit;
    }
    int region = region(guestOffset);
    long table = l1.get(region);
    if (table == 0) {
      long end = (long) l1.next(region + 1) << regionBits;
      return Math.min(limit, end - guestOffset);
    }
    int index = index(guestOffset);
    long[] entries = slice(table, index);
    int at = index % sliceEntries;
    L2Entry first = new L2Entry(entries[at]);
    if (first.compressed()) {
      return inCluster;
    }
    long step = first.allocated() ? header.clusterSize() : 0;
    long expected = first.withoutCopied() + step;
    long length = inCluster;
    while (length < limit
        && ++at < sliceEntries
        && new L2Entry(entries[at]).withoutCopied() == expected) {
      expected += step;
      length += header.clusterSize();
    }
    return Math.min(limit, length);
  }

  private int region(long guestOffset) {
    return (int) (guestOffset >>> regionBits);
  }

  /// Returns the index of the entry for a guest offset in its L2 table.
  private int index(long guestOffset) {
    return (int) (guestOffset >>> header.clusterBits()) & (header.l2Entries() - 1);
  }

  private long[] slice(long table, int index) throws IOException {
    long offset = table + (long) (index / sliceEntries) * sliceEntries * Long.BYTES;
    if (offset == sliceOffset) {
      return slice;
    }
    long[] found = shared.slices.find(ordinal, offset);
    if (found.length == 0) {
      found = load(offset);
      shared.slices.add(ordinal, offset, found);
    }
    slice = found;
    sliceOffset = offset;
    return found;
  }

  private long[] load(long offset) throws IOException {
    long length = (long) sliceEntries * Long.BYTES;
    MemorySegment bytes = shared.scratch.asSlice(0, length);
    long read = file.read(offset, bytes);
    if (read < length) {
      throw new MalformedImageException(
          "L2 table", offset, "the file ends inside it, at byte " + (offset + read));
    }
    return bytes.toArray(Qcow2Format.WORD);
  }

  private void check(L2Entry entry, long at) throws MalformedImageException {
    long host;
    if (entry.compressed()) {
      host = entry.descriptor().hostOffset(header.clusterBits());
    } else {
      host = entry.hostOffset();
      boolean zeroFlag = entry.readsAsZeros() && header.version() != 3;
      if (entry.reservedBitsSet() || zeroFlag || host % header.clusterSize() != 0) {
        throw malformed(at, entry, "reserved bits are 0 and data lies at a cluster");
      }
    }
    if (host >= Qcow2Format.MAX_HOST_OFFSET) {
      throw malformed(at, entry, "data lies below 1 PiB");
    }
  }

  private static MalformedImageException malformed(long at, L2Entry entry, String rule) {
    return new MalformedImageException(
        "L2 table entry", at, rule + ", found 0x" + Long.toHexString(entry.raw()));
  }

  @Override
  public long read(long hostOffset, MemorySegment target) throws IOException {
    return file.read(hostOffset, target);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
