package dev.pvcpopulators.diskimage.qcow2;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The first position in an image at which a decoder can know the content of a guest range. This
/// class reads the tables of the image by random access (QEMU docs/interop/qcow2). It supports
/// standard L2 entries, but no subclusters.
///
/// @param hostEnd the first offset in the image after the range's L1 table, L2 table and data
/// @param guestOffset the offset of one guest cluster, or of the guest range of an L1 entry without
///   an L2 table
record Knowable(long hostEnd, long guestOffset, long length) {
  /// Returns the ranges in the order in which they become known. Each guest byte is in exactly one
  /// range.
  static List<Knowable> of(Path image) throws IOException {
    List<Knowable> ranges = new ArrayList<>();
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "r")) {
      file.seek(20);
      int clusterBits = file.readInt();
      long size = file.readLong();
      file.seek(36);
      int l1Entries = file.readInt();
      long l1 = file.readLong();
      long cluster = 1L << clusterBits;
      long coverage = cluster / 8 * cluster;
      int needed = (int) ((size + coverage - 1) / coverage);
      if (needed > l1Entries) {
        throw new AssertionError("the L1 table has " + l1Entries + " entries for " + size);
      }
      long l1End = l1 + 8L * needed;
      for (int i = 0; i < needed; i++) {
        file.seek(l1 + 8L * i);
        long l2 = file.readLong() & 0x00ff_ffff_ffff_fe00L;
        long guest = i * coverage;
        if (l2 == 0) {
          ranges.add(new Knowable(l1End, guest, Math.min(coverage, size - guest)));
          continue;
        }
        long tablesEnd = Math.max(l1End, l2 + cluster);
        byte[] table = new byte[(int) cluster];
        file.seek(l2);
        file.readFully(table);
        for (int j = 0; j < cluster / 8 && guest + j * cluster < size; j++) {
          long dataEnd = dataEnd(ByteBuffer.wrap(table).getLong(8 * j), clusterBits);
          long at = guest + j * cluster;
          ranges.add(new Knowable(Math.max(tablesEnd, dataEnd), at, Math.min(cluster, size - at)));
        }
      }
    }
    ranges.sort(Comparator.comparingLong(Knowable::hostEnd));
    return ranges;
  }

  private static long dataEnd(long entry, int clusterBits) {
    if ((entry & 1L << 62) != 0) {
      int offsetBits = 62 - (clusterBits - 8);
      long host = entry & (1L << offsetBits) - 1;
      long sectors = (entry & (1L << 62) - 1) >>> offsetBits;
      return (host / 512 + 1 + sectors) * 512;
    }
    long host = entry & 0x00ff_ffff_ffff_fe00L;
    return (entry & 1) != 0 || host == 0 ? 0 : host + (1L << clusterBits);
  }
}
