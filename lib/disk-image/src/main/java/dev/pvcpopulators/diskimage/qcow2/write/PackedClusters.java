package dev.pvcpopulators.diskimage.qcow2.write;

import dev.pvcpopulators.diskimage.compression.OrderedTasks;
import dev.pvcpopulators.diskimage.qcow2.format.CompressedDescriptor;
import dev.pvcpopulators.diskimage.qcow2.format.L2Entry;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Compresses guest clusters with zstd on a few threads, and stores the compressed clusters in the
/// order of the calls of [#add]. As in QEMU, one host cluster can contain several compressed
/// clusters. If two host clusters are neighbours in the file, a compressed cluster may begin in the
/// first and end in the second.
///
/// The number of compressed clusters in a host cluster always fits into a 16-bit refcount, because
/// a zstd frame has a minimum length. A frame has at least 11 bytes, and at least 9 bytes plus 4
/// bytes for every 128 KiB of its content. The maximum size of a cluster is 2 MiB. By the second
/// bound, a frame of such a cluster has at least 73 bytes, so a host cluster contains fewer than
/// 30,000 frames. Smaller host clusters contain fewer frames.
final class PackedClusters implements AutoCloseable {
  /// Maximum number of batches. This number decides when a batch is stored, so it must not depend
  /// on the number of processors. The order of the file's content thus depends only on the sequence
  /// of calls.
  private static final int BATCHES = 8;

  private final HostFile host;
  private final L2Tables tables;
  private final int clusterBits;
  private final int clusterSize;
  private final MemorySegment zeros;
  private final List<PackedBatch> batches = new ArrayList<>();
  private final Deque<PackedBatch> idle = new ArrayDeque<>();
  private final OrderedTasks<PackedBatch> running =
      new OrderedTasks<>(
          Math.min(BATCHES, Runtime.getRuntime().availableProcessors()), "qcow2-deflate-");
  private final TreeSet<Long> pending = new TreeSet<>();
  private @Nullable PackedBatch filling;

  /// File offset after the newest compressed cluster; the bytes from `next` to `end` are free for
  /// further compressed clusters. Before the first compressed cluster, `next` and `end` are 0.
  private long next;

  private long end;

  /// Creates a packer.
  ///
  /// @param host the file; the caller closes it
  /// @param tables the tables that receive the entries; the caller closes them
  PackedClusters(HostFile host, L2Tables tables, int clusterBits) {
    this.host = host;
    this.tables = tables;
    this.clusterBits = clusterBits;
    this.clusterSize = 1 << clusterBits;
    this.zeros = MemorySegment.ofArray(new byte[clusterSize]);
  }

  /// Adds a guest cluster that has no host cluster and is not waiting to be stored. A later call of
  /// this method or of [#settle] stores and maps the cluster. If the compressed bytes are shorter
  /// than the cluster, that call stores the compressed bytes, otherwise the uncompressed cluster.
  ///
  /// @param cluster ordinal of the guest cluster
  /// @param bytes memory that begins with the cluster; the cluster is copied
  void add(long cluster, MemorySegment bytes) throws IOException {
    PackedBatch batch = filling == null ? nextBatch() : filling;
    batch.add(cluster, bytes);
    pending.add(cluster);
    filling = batch.isFull() ? submitted(batch) : batch;
  }

  /// Returns whether any cluster of a range was added but is not stored yet.
  ///
  /// @param first ordinal of the first guest cluster
  /// @param last ordinal of the last guest cluster
  boolean pending(long first, long last) {
    Long found = pending.ceiling(first);
    return found != null && found <= last;
  }

  /// Stores all added clusters that are not stored yet.
  void settle() throws IOException {
    if (filling != null) {
      filling = submitted(filling);
    }
    while (running.size() > 0) {
      storeOldest();
    }
  }

  private PackedBatch nextBatch() throws IOException {
    if (idle.isEmpty() && batches.size() < BATCHES) {
      PackedBatch batch = new PackedBatch(clusterBits);
      batches.add(batch);
      return batch;
    }
    if (idle.isEmpty()) {
      storeOldest();
    }
    return idle.remove();
  }

  private @Nullable PackedBatch submitted(PackedBatch batch) {
    running.submit(batch);
    return null;
  }

  private void storeOldest() throws IOException {
    PackedBatch batch = running.next();
    for (int i = 0; i < batch.count(); i++) {
      tables.put(batch.cluster(i), store(batch.plain(i), batch.packed(i)));
      pending.remove(batch.cluster(i));
    }
    batch.clear();
    idle.add(batch);
  }

  private L2Entry store(MemorySegment plain, MemorySegment packed) throws IOException {
    int length = (int) packed.byteSize();
    if (length >= clusterSize) {
      return L2Entry.standard(host.append(plain, 0, clusterSize));
    }
    long offset = place(length);
    host.replace(offset, packed, 0, length);
    return L2Entry.compressed(CompressedDescriptor.of(offset, length, clusterBits));
  }

  private long place(int length) throws IOException {
    if (end - next < length) {
      if (end != host.length()) {
        next = host.length();
        end = next;
      }
      host.append(zeros, 0, clusterSize);
      end += clusterSize;
    }
    long offset = next;
    next += length;
    return offset;
  }

  @Override
  public void close() {
    running.close();
    batches.forEach(PackedBatch::close);
  }
}
