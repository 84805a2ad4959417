package dev.pvcpopulators.diskimage.qcow2.write;

import dev.pvcpopulators.diskimage.qcow2.format.L1Table;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer.Options;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Writes the metadata of a qcow2 file: first the L2 tables and refcounts at the end of the file,
/// then the L1 table and finally the header at the beginning of the file.
///
/// @param l1 the L1 table, with the offsets of the L2 tables stored so far
record Metadata(Options options, HostFile host, L1Table l1, L2Tables tables) {
  /// Writes the metadata to stable storage. The header is written after all the rest, so that an
  /// incomplete file is not a valid image.
  void write() throws IOException {
    tables.storeAll();
    Refcounts refcounts = Refcounts.append(host, options.clusterBits(), references());
    try (Arena arena = Arena.ofConfined()) {
      writeL1(arena.allocate(L1Table.PAGE_LENGTH));
      host.sync();
      MemorySegment cluster = arena.allocate(options.clusterSize());
      new HeaderCluster(options, refcounts).write(cluster.asByteBuffer());
      host.write(0, cluster);
      host.sync();
    }
  }

  private Refcounts.Count references() {
    if (!options.compression()) {
      // Without compression, every cluster of the file has one reference.
      return _ -> 1;
    }
    long clusters = host.length() >>> options.clusterBits();
    return new ReferenceCounts(tables, options.clusterBits(), 1 + options.l1Clusters(), clusters);
  }

  /// Writes the L1 table, except pages of zeros, which stay holes.
  private void writeL1(MemorySegment page) throws IOException {
    long length = options.l1Clusters() << options.clusterBits();
    for (int i = 0; i < l1.pages(); i++) {
      long at = (long) i * L1Table.PAGE_LENGTH;
      if (l1.encode(i, page)) {
        host.write(
            options.clusterSize() + at, page.asSlice(0, Math.min(page.byteSize(), length - at)));
      }
    }
  }
}
