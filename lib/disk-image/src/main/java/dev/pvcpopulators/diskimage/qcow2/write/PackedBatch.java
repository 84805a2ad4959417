package dev.pvcpopulators.diskimage.qcow2.write;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import dev.pvcpopulators.diskimage.compression.ZstdLibrary;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Callable;

/// Guest clusters that one task compresses, each cluster separately. A batch has at most 256 KiB of
/// clusters, or one cluster if a cluster is larger. Used by one thread at a time; a worker runs
/// [#call].
final class PackedBatch implements Callable<PackedBatch>, AutoCloseable {
  private static final int LENGTH = 1 << 18;

  /// The compression level. The level is fixed, like every other parameter, so that the same
  /// cluster always gives the same bytes.
  private static final int LEVEL = 3;

  private final int clusterSize;
  private final int mostPacked;
  private final long[] guests;
  private final int[] lengths;
  private final byte[] plain;
  private final byte[] packed;
  private final ZstdCompressCtx context;
  private int count;

  PackedBatch(int clusterBits) {
    ZstdLibrary.load();
    context = new ZstdCompressCtx();
    clusterSize = 1 << clusterBits;
    mostPacked = Math.toIntExact(Zstd.compressBound(clusterSize));
    int capacity = Math.max(1, LENGTH >> clusterBits);
    guests = new long[capacity];
    lengths = new int[capacity];
    plain = new byte[capacity * clusterSize];
    packed = new byte[capacity * mostPacked];
    context.setLevel(LEVEL).setContentSize(true).setChecksum(false).setDictID(false);
  }

  boolean isFull() {
    return count == guests.length;
  }

  int count() {
    return count;
  }

  /// Copies a cluster into the batch, which must not be full.
  ///
  /// @param cluster ordinal of the guest cluster
  /// @param bytes memory that begins with the cluster
  void add(long cluster, MemorySegment bytes) {
    MemorySegment.copy(
        bytes, 0, MemorySegment.ofArray(plain), (long) count * clusterSize, clusterSize);
    guests[count] = cluster;
    count++;
  }

  @Override
  public PackedBatch call() {
    for (int i = 0; i < count; i++) {
      lengths[i] =
          context.compressByteArray(
              packed, i * mostPacked, mostPacked, plain, i * clusterSize, clusterSize);
    }
    return this;
  }

  /// Returns the ordinal of the guest cluster at index `i` of this batch.
  long cluster(int i) {
    return guests[i];
  }

  /// Returns the uncompressed bytes of a cluster.
  MemorySegment plain(int i) {
    return MemorySegment.ofArray(plain).asSlice((long) i * clusterSize, clusterSize);
  }

  /// Returns the compressed bytes of a cluster; valid only after [#call]. The compressed bytes may
  /// be longer than the cluster.
  MemorySegment packed(int i) {
    return MemorySegment.ofArray(packed).asSlice((long) i * mostPacked, lengths[i]);
  }

  void clear() {
    count = 0;
  }

  @Override
  public void close() {
    context.close();
  }
}
