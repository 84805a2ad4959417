package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.Closing;
import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.qcow2.format.ClusterDecoder;
import dev.pvcpopulators.diskimage.qcow2.format.L2Entry;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Format;
import dev.pvcpopulators.diskimage.qcow2.format.TableBudget;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads a stack of qcow2 files as one disk. Each file except the bottom file has the file below it
/// as its backing file. Used by one thread only.
///
/// This class opens only the paths that the caller gives. It compares the backing file names in the
/// headers with these paths, and never opens a file by such a name. The files may have different
/// cluster sizes. The files share one L2 cache of 4 MiB, and the pages of all L1 tables take at
/// most 64 MiB together.
public final class Qcow2Chain implements Closeable {
  /// Maximum number of files. The number is limited because each open file needs a file descriptor.
  /// Container images have at most 127 layers.
  private static final int MAX_DEPTH = 1024;

  private static final long MAX_L1_LENGTH = 64 << 20;

  /// Maximum number of bytes that are written to a sink at once.
  private static final int PIECE = 1 << 20;

  private static final int SCRATCH_LENGTH = 1 << 18;

  /// A range of guest bytes whose content comes from one file, or that no file maps.
  ///
  /// @param file the topmost file that maps the range; null if no file maps it
  /// @param entry the file's L2 entry for the first byte; unallocated if no file maps the range
  private record Extent(@Nullable Qcow2File file, L2Entry entry, long length) {
    boolean zeros() {
      return file == null || (!entry.compressed() && entry.readsAsZeros());
    }
  }

  private final long virtualSize;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment scratch = arena.allocate(SCRATCH_LENGTH);
  private final ClusterDecoder decoder = new ClusterDecoder();
  private final List<Qcow2File> files = new ArrayList<>();
  private boolean closed;

  private Qcow2Chain(long virtualSize) {
    this.virtualSize = virtualSize;
  }

  /// Opens a stack.
  ///
  /// @param files the files, from the bottom up; an empty list is a disk of zeros
  /// @param virtualSize the virtual size in bytes that each file must have; a multiple of 512
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException if a file has a damaged header or
  ///   L1 table, has another virtual size, or does not name exactly the file below it as its
  ///   backing file
  /// @throws dev.pvcpopulators.diskimage.UnsupportedFeatureException if a file uses an unsupported
  ///   feature, or the L1 tables need more than 64 MiB
  public static Qcow2Chain open(List<Path> files, long virtualSize) throws IOException {
    if (virtualSize < 0 || virtualSize % Qcow2Format.SECTOR != 0) {
      throw new IllegalArgumentException(
          "A virtual size is a multiple of 512 bytes, found " + virtualSize);
    }
    if (files.size() > MAX_DEPTH) {
      throw new IllegalArgumentException("A stack has at most " + MAX_DEPTH + " files");
    }
    Qcow2Chain chain = new Qcow2Chain(virtualSize);
    try {
      chain.openAll(files);
      return chain;
    } catch (IOException | RuntimeException e) {
      chain.close();
      throw e;
    }
  }

  private void openAll(List<Path> paths) throws IOException {
    TableBudget budget = new TableBudget(MAX_L1_LENGTH);
    Qcow2File.Shared shared = new Qcow2File.Shared(virtualSize, new L2Slices(), scratch, budget);
    Optional<Path> below = Optional.empty();
    for (Path path : paths) {
      files.add(Qcow2File.open(path, files.size(), below, shared));
      below = Optional.of(path);
    }
  }

  /// Returns the number of bytes that the guest sees.
  public long virtualSize() {
    return virtualSize;
  }

  /// Fills a buffer with guest bytes.
  ///
  /// @param guestOffset bytes from the beginning of the disk
  /// @param target receives as many bytes as remain in the buffer; all of them must be within the
  ///   disk
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException if a file is damaged at a place
  ///   that is read
  public void read(long guestOffset, ByteBuffer target) throws IOException {
    read(guestOffset, MemorySegment.ofBuffer(target));
    target.position(target.limit());
  }

  public void read(long guestOffset, MemorySegment target) throws IOException {
    long length = target.byteSize();
    Objects.checkFromIndexSize(guestOffset, length, virtualSize);
    long done = 0;
    while (done < length) {
      Extent extent = extent(guestOffset + done, length - done);
      read(extent, guestOffset + done, target.asSlice(done, extent.length));
      done += extent.length;
    }
  }

  /// Returns how many bytes from an offset on are known to be zeros; 0 if there may be data. Bytes
  /// are known to be zeros if no file maps them, or if the topmost file that maps them marks them
  /// as zeros. More zeros may follow.
  public long zeros(long guestOffset) throws IOException {
    Objects.checkIndex(guestOffset, virtualSize);
    Extent extent = extent(guestOffset, virtualSize - guestOffset);
    return extent.zeros() ? extent.length : 0;
  }

  /// Returns true if every byte of a range is known to be zero: no file maps the byte, or the
  /// topmost file that maps the byte marks it as zero.
  public boolean zeros(long guestOffset, long length) throws IOException {
    long done = 0;
    while (done < length) {
      Extent extent = extent(guestOffset + done, length - done);
      if (!extent.zeros()) {
        return false;
      }
      done += extent.length;
    }
    return true;
  }

  /// Announces the virtual size to the sink, then writes the data of the whole disk and announces
  /// the known zeros, in the order of guest offsets.
  public void copyTo(DiskSink sink) throws IOException {
    sink.expect(virtualSize);
    byte[] piece = new byte[PIECE];
    MemorySegment segment = MemorySegment.ofArray(piece);
    long written = 0;
    int filled = 0;
    while (written + filled < virtualSize) {
      long guest = written + filled;
      Extent extent = extent(guest, virtualSize - guest);
      if (extent.zeros() || filled == PIECE) {
        if (filled > 0) {
          sink.write(written, piece, 0, filled);
        }
        written = guest;
        filled = 0;
      }
      if (extent.zeros()) {
        sink.zeros(guest, extent.length);
        written += extent.length;
      } else {
        int length = (int) Math.min(extent.length, PIECE - filled);
        read(extent, guest, segment.asSlice(filled, length));
        filled += length;
      }
    }
    if (filled > 0) {
      sink.write(written, piece, 0, filled);
    }
  }

  /// Returns the extent that begins at a guest offset.
  ///
  /// @param limit maximum length of the extent in bytes, at least 1
  private Extent extent(long guestOffset, long limit) throws IOException {
    long length = limit;
    for (int i = files.size() - 1; i >= 0; i--) {
      Qcow2File file = files.get(i);
      L2Entry entry = file.entry(guestOffset);
      length = file.run(guestOffset, length);
      if (!entry.unallocated()) {
        return new Extent(file, entry, length);
      }
    }
    return new Extent(null, L2Entry.UNALLOCATED, length);
  }

  /// Reads the bytes of an extent.
  ///
  /// @param target receives the extent's first bytes; at most as long as the extent
  private void read(Extent extent, long guestOffset, MemorySegment target) throws IOException {
    Qcow2File file = extent.file;
    if (file == null || extent.zeros()) {
      target.fill((byte) 0);
      return;
    }
    long within = guestOffset & ((1L << file.clusterBits()) - 1);
    if (extent.entry.compressed()) {
      byte[] cluster =
          decoder.decode(file, extent.entry.descriptor(), file.clusterBits(), file.compression());
      target.copyFrom(MemorySegment.ofArray(cluster).asSlice(within, target.byteSize()));
    } else {
      readHost(file, extent.entry.hostOffset() + within, target);
    }
  }

  private void readHost(Qcow2File file, long hostOffset, MemorySegment target) throws IOException {
    long read = file.read(hostOffset, target, scratch);
    if (read < target.byteSize()) {
      throw new MalformedImageException(
          "standard cluster",
          hostOffset,
          "the file ends inside it, at byte " + (hostOffset + read));
    }
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      Closing.all(files);
    } finally {
      decoder.close();
      arena.close();
    }
  }
}
