package dev.pvcpopulators.diskimage.qcow2.write;

import dev.pvcpopulators.diskimage.qcow2.format.L2Entry;
import java.io.IOException;
import java.util.Arrays;

/// Counts the references from the tables to each host cluster. Each cluster of the header and of
/// the L1 table has one reference. A count can exceed 1, because compressed clusters share host
/// clusters. A count can be 0, because a compressed cluster that was rewritten no longer refers to
/// its old host clusters. This class divides the host clusters into windows of bounded size. Each
/// window takes one pass over the tables.
final class ReferenceCounts implements Refcounts.Count {
  /// Maximum number of host clusters in a window. Each cluster takes 2 bytes of memory.
  private static final int WINDOW = 4 << 20;

  private final L2Tables tables;
  private final int clusterBits;
  private final long metadataClusters;
  private final short[] counts;
  private long first;
  private boolean counted;

  /// Creates a counter.
  ///
  /// @param tables the L2 tables, already stored in the file
  /// @param metadataClusters number of clusters at the beginning of the file that contain the
  ///   header and the L1 table
  /// @param clusters number of clusters of the file
  ReferenceCounts(L2Tables tables, int clusterBits, long metadataClusters, long clusters) {
    this.tables = tables;
    this.clusterBits = clusterBits;
    this.metadataClusters = metadataClusters;
    this.counts = new short[(int) Math.min(WINDOW, clusters)];
  }

  @Override
  public int of(long hostCluster) throws IOException {
    if (!counted || hostCluster - first >= counts.length) {
      count(hostCluster);
    }
    return Short.toUnsignedInt(counts[(int) (hostCluster - first)]);
  }

  private void count(long from) throws IOException {
    first = from;
    counted = true;
    Arrays.fill(counts, (short) 0);
    refer(0, (metadataClusters << clusterBits) - 1);
    tables.visit((tableOffset, entries) -> {
      refer(tableOffset, tableOffset);
      for (long raw : entries) {
        refer(new L2Entry(raw));
      }
    });
  }

  private void refer(L2Entry entry) {
    if (entry.compressed()) {
      long begin = entry.descriptor().hostOffset(clusterBits);
      refer(begin, begin + entry.descriptor().length(clusterBits) - 1);
    } else if (entry.allocated()) {
      refer(entry.hostOffset(), entry.hostOffset());
    }
  }

  /// Counts one reference to each cluster that contains a byte from `firstByte` to `lastByte`,
  /// inclusive. Ignores clusters outside the window.
  private void refer(long firstByte, long lastByte) {
    long from = Math.max(firstByte >>> clusterBits, first);
    long to = Math.min(lastByte >>> clusterBits, first + counts.length - 1);
    for (long at = from; at <= to; at++) {
      counts[(int) (at - first)]++;
    }
  }
}
