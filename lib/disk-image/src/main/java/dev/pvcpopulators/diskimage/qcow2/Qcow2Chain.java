package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
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

/// A stack of qcow2 files, each over the one below it, read as the disk that it is. For one thread.
///
/// The files are opened by the names that the caller gives; the backing file names inside them are
/// compared with those, and never opened. Clusters of different sizes mix. Memory is bounded
/// whatever the depth: a cache of L2 tables for all files, and the L1 tables as far as they are not
/// 0, at most 64 MiB together.
public final class Qcow2Chain implements Closeable {
  /// Container images have at most 127 layers; file descriptors are few as well.
  private static final int MAX_DEPTH = 1024;

  private static final long MAX_L1_LENGTH = 64 << 20;

  /// Bytes of what is read and written at once.
  private static final int PIECE = 1 << 20;

  private static final int SCRATCH_LENGTH = 1 << 18;

  /// Guest bytes that one file has, or none.
  ///
  /// @param file the topmost that says something of them
  /// @param entry what it says of the first of them
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
  /// @param files from the bottom up; none for a disk of zeros
  /// @param virtualSize bytes that each of them must have
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException where one is damaged or of another
  ///   size, or does not name the one below it
  /// @throws dev.pvcpopulators.diskimage.UnsupportedFeatureException where one has what this reader
  ///   does not read
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

  /// Bytes that the guest sees.
  public long virtualSize() {
    return virtualSize;
  }

  /// Fills a buffer with guest bytes.
  ///
  /// @param guestOffset bytes from the beginning of the disk; the buffer's remaining bytes lie
  ///   within the disk
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException where a file is damaged there
  public void read(long guestOffset, ByteBuffer target) throws IOException {
    read(guestOffset, MemorySegment.ofBuffer(target));
    target.position(target.limit());
  }

  void read(long guestOffset, MemorySegment target) throws IOException {
    long length = target.byteSize();
    Objects.checkFromIndexSize(guestOffset, length, virtualSize);
    long done = 0;
    while (done < length) {
      Extent extent = extent(guestOffset + done, length - done);
      read(extent, guestOffset + done, target.asSlice(done, extent.length));
      done += extent.length;
    }
  }

  /// How many bytes from an offset on are known to be zeros because no file maps them, or the
  /// topmost that does says so; 0 where there may be data. More may follow.
  public long zeros(long guestOffset) throws IOException {
    Objects.checkIndex(guestOffset, virtualSize);
    Extent extent = extent(guestOffset, virtualSize - guestOffset);
    return extent.zeros() ? extent.length : 0;
  }

  /// True where a range is known to be zeros in that way.
  boolean zeros(long guestOffset, long length) throws IOException {
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

  /// Writes the whole disk, what is mapped only, in the order of guest offsets.
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

  /// @param limit bytes, at least 1
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

  /// @param target of the extent's length, or shorter
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
    long length = target.byteSize();
    long step = target.isNative() ? length : scratch.byteSize();
    for (long done = 0; done < length; done += step) {
      long n = Math.min(step, length - done);
      MemorySegment part = target.isNative() ? target : scratch.asSlice(0, n);
      long read = file.read(hostOffset + done, part);
      if (read < n) {
        throw new MalformedImageException(
            "standard cluster",
            hostOffset,
            "the file ends inside it, at byte " + (hostOffset + done + read));
      }
      if (!target.isNative()) {
        MemorySegment.copy(part, 0, target, done, n);
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    IOException failure = null;
    for (Qcow2File file : files) {
      try {
        file.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    decoder.close();
    arena.close();
    if (failure != null) {
      throw failure;
    }
  }
}
