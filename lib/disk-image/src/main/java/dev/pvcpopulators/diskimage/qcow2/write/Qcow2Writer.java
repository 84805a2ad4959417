package dev.pvcpopulators.diskimage.qcow2.write;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.pvcpopulators.diskimage.qcow2.format.L1Table;
import dev.pvcpopulators.diskimage.qcow2.format.L2Entry;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Format;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Writes one qcow2 file, version 3, optionally with backing files (QEMU docs/interop/qcow2).
///
/// Data is appended to the file in write order, in large writes. If data is written again, the new
/// data replaces the old data in place. A rewritten compressed cluster is an exception: it is
/// appended again, without compression. [#finish] adds the header, the L1 table, the L2 tables that
/// are still in memory, and the refcounts. The same calls give the same bytes. If compression is
/// on, [#write] does not store a new cluster immediately; a later call stores the cluster. Used by
/// one thread only.
///
/// If zeros are written to a whole guest cluster, there are two cases. A guest cluster that is not
/// compressed and has a host cluster keeps this host cluster and becomes a zero cluster. Any other
/// guest cluster becomes unallocated if the backing files are known to have zeros in its range, and
/// a zero cluster if not.
///
/// | Clusters      | Content                                                       |
/// |---------------|---------------------------------------------------------------|
/// | first         | header, written last                                          |
/// | next          | L1 table, with the length that the disk needs                 |
/// | then          | data in write order; L2 tables evicted from memory            |
/// | at the end    | the other L2 tables, the refcount table, the refcount blocks  |
public final class Qcow2Writer implements Closeable {
  /// Properties of a file.
  ///
  /// @param virtualSize bytes that the guest sees; a multiple of 512, at most [#maxVirtualSize]
  /// @param clusterBits 9–21; for example, 12 for the layers of a container image, and 16 for a
  ///   disk that a virtual machine writes to
  /// @param backingName name of the backing file in the header, 1–1,023 bytes, or fewer with
  ///   clusters below 2 KiB. QEMU resolves the name relative to the directory of the written file.
  ///   The format of the backing file is always qcow2
  /// @param compression whether clusters are compressed (zstd)
  public record Options(
      long virtualSize, int clusterBits, Optional<String> backingName, boolean compression) {
    /// Rejects invalid values.
    public Options {
      if (clusterBits < Qcow2Format.MIN_CLUSTER_BITS
          || clusterBits > Qcow2Format.MAX_CLUSTER_BITS) {
        throw new IllegalArgumentException("clusterBits is 9–21, found " + clusterBits);
      }
      if (virtualSize <= 0
          || virtualSize % Qcow2Format.SECTOR != 0
          || virtualSize > maxVirtualSize(clusterBits)) {
        throw new IllegalArgumentException(
            "virtualSize is a multiple of 512 from 512 to %d at %d cluster bits, found %d"
                .formatted(maxVirtualSize(clusterBits), clusterBits, virtualSize));
      }
      backingName.ifPresent(name -> validateName(name, clusterBits));
    }

    /// Returns the largest virtual size in bytes that an L1 table of QEMU's maximum size can map,
    /// at most 1 PiB.
    public static long maxVirtualSize(int clusterBits) {
      long tables = Qcow2Format.MAX_L1_LENGTH / Long.BYTES;
      return Math.min(tables << (2 * clusterBits - 3), Qcow2Format.MAX_HOST_OFFSET);
    }

    private static void validateName(String name, int clusterBits) {
      int length = name.getBytes(StandardCharsets.UTF_8).length;
      int max = HeaderCluster.maxNameLength(clusterBits);
      if (length == 0 || length > max) {
        throw new IllegalArgumentException(
            "A backing name has 1–" + max + " bytes here, found " + length);
      }
      int colon = name.indexOf(':');
      int slash = name.indexOf('/');
      if (name.indexOf('\0') >= 0 || (colon >= 0 && (slash < 0 || colon < slash))) {
        throw new IllegalArgumentException(
            "With a colon before the first slash QEMU reads the name as a protocol: " + name);
      }
    }

    int clusterSize() {
      return 1 << clusterBits;
    }

    int l1Entries() {
      return (int) Math.ceilDiv(virtualSize, 1L << (2 * clusterBits - 3));
    }

    long l1Clusters() {
      return Math.ceilDiv((long) l1Entries() * Long.BYTES, clusterSize());
    }
  }

  private final Options options;
  private final Qcow2Chain below;
  private final HostFile host;
  private final L1Table l1;
  private final L2Tables tables;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment cluster;
  private final OverlayReader reader;
  private final @Nullable PackedClusters packed;
  private boolean intact = true;
  private boolean finished;
  private boolean closed;

  private Qcow2Writer(Options options, Qcow2Chain below, HostFile host) {
    this.options = options;
    this.below = below;
    this.host = host;
    this.l1 = new L1Table(options.l1Entries());
    this.tables = new L2Tables(host, l1, options.clusterBits());
    this.cluster = arena.allocate(options.clusterSize());
    this.reader = new OverlayReader(host, tables, options.clusterBits(), below);
    this.packed =
        options.compression() ? new PackedClusters(host, tables, options.clusterBits()) : null;
  }

  /// Creates a file.
  ///
  /// @param file must not exist; is created with permissions that let only its owner read and write
  /// @param below the backing files, with the same virtual size; the caller closes them after this
  ///   writer
  public static Qcow2Writer create(Path file, Options options, Qcow2Chain below)
      throws IOException {
    if (below.virtualSize() != options.virtualSize()) {
      throw new IllegalArgumentException(
          "Expected a backing disk of the same size, %d bytes, found %d"
              .formatted(options.virtualSize(), below.virtualSize()));
    }
    long begin = (1 + options.l1Clusters()) << options.clusterBits();
    return new Qcow2Writer(options, below, HostFile.create(file, begin));
  }

  /// Writes guest bytes. If only a part of a cluster is written, the rest of the cluster keeps its
  /// content.
  ///
  /// @param guestOffset bytes from the beginning of the disk; the source's remaining bytes must be
  ///   within the disk
  /// @throws dev.pvcpopulators.diskimage.ExceedsVolumeException if the volume is full
  public void write(long guestOffset, ByteBuffer source) throws IOException {
    requireUsable();
    MemorySegment bytes = MemorySegment.ofBuffer(source);
    long length = bytes.byteSize();
    Objects.checkFromIndexSize(guestOffset, length, options.virtualSize());
    int mask = options.clusterSize() - 1;
    intact = false;
    long done = 0;
    while (done < length) {
      long guest = guestOffset + done;
      int within = (int) guest & mask;
      long rest = length - done;
      if (within != 0 || rest < options.clusterSize()) {
        long n = Math.min(rest, options.clusterSize() - within);
        writePart(guest - within, within, bytes.asSlice(done, n));
        done += n;
      } else {
        done += writeRun(guest >>> options.clusterBits(), bytes.asSlice(done, rest & ~mask));
      }
    }
    intact = true;
    source.position(source.limit());
  }

  private void requireUsable() {
    if (finished) {
      throw new IllegalStateException("The file is finished");
    }
    requireIntact();
  }

  private void requireIntact() {
    if (!intact) {
      throw new IllegalStateException("An earlier call failed: the file is incomplete");
    }
  }

  private void writePart(long guestCluster, int within, MemorySegment bytes) throws IOException {
    L2Entry entry = entry(guestCluster >>> options.clusterBits());
    if (entry.data()) {
      host.replace(entry.hostOffset() + within, bytes, 0, bytes.byteSize());
      return;
    }
    long visible = Math.min(options.clusterSize(), options.virtualSize() - guestCluster);
    reader.read(guestCluster, cluster.asSlice(0, visible));
    cluster.asSlice(visible).fill((byte) 0);
    cluster.asSlice(within, bytes.byteSize()).copyFrom(bytes);
    writeRun(guestCluster >>> options.clusterBits(), cluster);
  }

  /// Writes the first cluster of a buffer. If this cluster is appended to the file, the same append
  /// also writes following clusters if possible.
  ///
  /// @param first ordinal of a guest cluster
  /// @param bytes whole clusters, at least one
  /// @return bytes written
  private long writeRun(long first, MemorySegment bytes) throws IOException {
    int size = options.clusterSize();
    if (zero(bytes, 0)) {
      writeZeros(first);
      return size;
    }
    L2Entry entry = entry(first);
    if (!entry.compressed() && entry.allocated()) {
      host.replace(entry.hostOffset(), bytes, 0, size);
      if (entry.readsAsZeros()) {
        tables.put(first, L2Entry.standard(entry.hostOffset()));
      }
      return size;
    }
    if (packed != null && !entry.compressed()) {
      packed.add(first, bytes);
      return size;
    }
    return append(first, bytes);
  }

  /// Appends consecutive clusters that have data and need a new host cluster. Does not compress
  /// them. If compression is on, the first cluster is a compressed cluster that is rewritten; only
  /// this cluster is appended. It is not compressed again, because it may be rewritten often.
  private long append(long first, MemorySegment bytes) throws IOException {
    int size = options.clusterSize();
    long count = 1;
    long all = packed == null ? bytes.byteSize() / size : 1;
    while (count < all && fresh(first + count) && !zero(bytes, count * size)) {
      count++;
    }
    tables.putRun(first, host.append(bytes, 0, count * size), count);
    return count * size;
  }

  /// Returns whether the guest cluster needs a new host cluster: it has no host cluster, or it is
  /// compressed.
  private boolean fresh(long guestCluster) throws IOException {
    L2Entry entry = entry(guestCluster);
    return entry.compressed() || !entry.allocated();
  }

  private void writeZeros(long guestCluster) throws IOException {
    L2Entry entry = entry(guestCluster);
    if (!entry.compressed() && entry.allocated()) {
      if (!entry.readsAsZeros()) {
        tables.put(guestCluster, entry.withZeros());
      }
      return;
    }
    long guest = guestCluster << options.clusterBits();
    long visible = Math.min(options.clusterSize(), options.virtualSize() - guest);
    L2Entry wanted = below.zeros(guest, visible) ? L2Entry.UNALLOCATED : L2Entry.ZEROS;
    if (!entry.equals(wanted)) {
      tables.put(guestCluster, wanted);
    }
  }

  /// Returns the L2 entry of a guest cluster. If the cluster was written but is not stored yet,
  /// this method first stores all written clusters that are not stored yet.
  private L2Entry entry(long guestCluster) throws IOException {
    settle(guestCluster, guestCluster);
    return tables.get(guestCluster);
  }

  /// If a cluster from `first` to `last`, inclusive, was written but is not stored yet, stores all
  /// written clusters that are not stored yet.
  private void settle(long first, long last) throws IOException {
    if (packed != null && packed.pending(first, last)) {
      boolean before = intact;
      intact = false;
      packed.settle();
      intact = before;
    }
  }

  /// Returns whether all bytes of the cluster at `at` are zeros: the first byte is 0, and each
  /// other byte equals the byte before it. The JDK makes this comparison with vector instructions.
  private boolean zero(MemorySegment bytes, long at) {
    long end = at + options.clusterSize();
    return bytes.get(JAVA_BYTE, at) == 0
        && MemorySegment.mismatch(bytes, at, end - 1, bytes, at + 1, end) == -1;
  }

  /// Reads guest bytes. Bytes that this writer has not written are read from the backing files.
  ///
  /// @param guestOffset bytes from the beginning of the disk; the target's remaining bytes must be
  ///   within the disk
  /// @throws IllegalStateException if an earlier [#write] failed, or an earlier [#read] failed
  ///   while it stored compressed clusters
  public void read(long guestOffset, ByteBuffer target) throws IOException {
    requireIntact();
    MemorySegment bytes = MemorySegment.ofBuffer(target);
    long end = guestOffset + bytes.byteSize();
    Objects.checkFromToIndex(guestOffset, end, options.virtualSize());
    settle(guestOffset >>> options.clusterBits(), (end - 1) >>> options.clusterBits());
    reader.read(guestOffset, bytes);
    target.position(target.limit());
  }

  /// Writes header, tables and refcounts, and flushes the file to stable storage.
  ///
  /// @throws IllegalStateException if an earlier [#write] failed, if an earlier [#read] failed
  ///   while it stored compressed clusters, or if this method was called before
  /// @throws dev.pvcpopulators.diskimage.ExceedsVolumeException if the volume is full
  public void finish() throws IOException {
    requireUsable();
    finished = true;
    if (packed != null) {
      packed.settle();
    }
    new Metadata(options, host, l1, tables).write();
  }

  /// Returns the current length of the file in bytes, without clusters and tables that are not
  /// stored yet.
  public long length() {
    return host.length();
  }

  /// Closes the file; without a previous [#finish], the file is unusable.
  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      if (packed != null) {
        packed.close();
      }
      reader.close();
      tables.close();
      arena.close();
      host.close();
    }
  }
}
