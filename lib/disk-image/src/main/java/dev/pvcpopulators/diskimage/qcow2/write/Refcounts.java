package dev.pvcpopulators.diskimage.qcow2.write;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Format;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The refcount table and refcount blocks at the end of a file (QEMU docs/interop/qcow2, "Host
/// cluster management"), with 16-bit counts. The counts include the clusters of the table and of
/// the blocks themselves.
///
/// @param tableOffset bytes from the beginning of the file
record Refcounts(long tableOffset, int tableClusters) {
  private static final ValueLayout.OfShort COUNT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /// The number of references to each cluster of a file.
  @FunctionalInterface
  interface Count {
    /// Returns the number of references to one cluster.
    ///
    /// @param hostCluster ordinal of the cluster; not below the ordinal of the previous call
    int of(long hostCluster) throws IOException;
  }

  /// Appends the refcounts, which are the last clusters of a file. Before the call, the file's
  /// length must be a multiple of the cluster size.
  ///
  /// @param count the number of references to each existing cluster
  /// @throws UnsupportedFeatureException if the table would exceed the size that QEMU allows
  static Refcounts append(HostFile host, int clusterBits, Count count) throws IOException {
    long used = host.length() >>> clusterBits;
    long perBlock = (1L << clusterBits) / Short.BYTES;
    long perTableCluster = (1L << clusterBits) / Long.BYTES;
    long blocks = 0;
    long tableClusters = 0;
    while (blocks * perBlock < used + blocks + tableClusters) {
      blocks = Math.ceilDiv(used + blocks + tableClusters, perBlock);
      tableClusters = Math.ceilDiv(blocks, perTableCluster);
    }
    if (tableClusters << clusterBits > Qcow2Format.MAX_REFCOUNT_TABLE_LENGTH) {
      throw new UnsupportedFeatureException(
          "A file of %d bytes needs more refcounts than QEMU reads; use larger clusters"
              .formatted(host.length()));
    }
    Refcounts written = new Refcounts(host.length(), (int) tableClusters);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cluster = arena.allocate(1L << clusterBits);
      written.appendTable(host, cluster, blocks);
      long all = used + blocks + tableClusters;
      for (long first = 0; first < all; first += perBlock) {
        appendBlock(host, cluster, first, used, all, count);
      }
    }
    return written;
  }

  private void appendTable(HostFile host, MemorySegment cluster, long blocks) throws IOException {
    long firstBlock = tableOffset + tableClusters * cluster.byteSize();
    long perCluster = cluster.byteSize() / Long.BYTES;
    for (long i = 0; i < tableClusters * perCluster; i++) {
      long offset = i < blocks ? firstBlock + i * cluster.byteSize() : 0;
      cluster.setAtIndex(Qcow2Format.WORD, i % perCluster, offset);
      if ((i + 1) % perCluster == 0) {
        host.append(cluster, 0, cluster.byteSize());
      }
    }
  }

  /// Appends one refcount block.
  ///
  /// @param first ordinal of the first host cluster that the block counts
  /// @param used number of host clusters before the table
  /// @param all number of host clusters of the whole file
  private static void appendBlock(
      HostFile host, MemorySegment cluster, long first, long used, long all, Count count)
      throws IOException {
    long perBlock = cluster.byteSize() / Short.BYTES;
    for (long i = 0; i < perBlock; i++) {
      long at = first + i;
      int value = 0;
      if (at < used) {
        value = count.of(at);
      } else if (at < all) {
        value = 1;
      }
      cluster.setAtIndex(COUNT, i, (short) value);
    }
    host.append(cluster, 0, cluster.byteSize());
  }
}
