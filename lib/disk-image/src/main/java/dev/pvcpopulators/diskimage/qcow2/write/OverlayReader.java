package dev.pvcpopulators.diskimage.qcow2.write;

import dev.pvcpopulators.diskimage.qcow2.format.ClusterCompression;
import dev.pvcpopulators.diskimage.qcow2.format.ClusterDecoder;
import dev.pvcpopulators.diskimage.qcow2.format.L2Entry;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Reads the disk while its topmost file is being written. Clusters that the topmost file maps are
/// read from the topmost file; all other clusters are read from the files below it.
final class OverlayReader implements AutoCloseable {
  private static final int SCRATCH_LENGTH = 1 << 16;

  private final HostFile host;
  private final L2Tables tables;
  private final int clusterBits;
  private final Qcow2Chain below;
  private final ClusterDecoder decoder = new ClusterDecoder();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment scratch = arena.allocate(SCRATCH_LENGTH);

  /// Creates a reader; the caller closes `host`, `tables` and `below`.
  OverlayReader(HostFile host, L2Tables tables, int clusterBits, Qcow2Chain below) {
    this.host = host;
    this.tables = tables;
    this.clusterBits = clusterBits;
    this.below = below;
  }

  /// Reads a range of the disk into heap or native memory.
  ///
  /// @param guestOffset bytes from the beginning of the disk; `guestOffset` plus the length of
  ///   `target` is at most the length of the disk
  void read(long guestOffset, MemorySegment target) throws IOException {
    long length = target.byteSize();
    long done = 0;
    while (done < length) {
      long guest = guestOffset + done;
      L2Entry entry = tables.get(guest >>> clusterBits);
      long n = run(entry, guest, length - done);
      read(entry, guest, target.asSlice(done, n));
      done += n;
    }
  }

  /// Returns how many bytes, beginning at `guest`, can be read together; at most `limit`.
  private long run(L2Entry entry, long guest, long limit) throws IOException {
    int size = 1 << clusterBits;
    long length = size - (guest & (size - 1));
    long step = !entry.compressed() && entry.allocated() ? size : 0;
    long expected = entry.withoutCopied() + step;
    while (!entry.compressed()
        && length < limit
        && tables.get((guest + length) >>> clusterBits).withoutCopied() == expected) {
      expected += step;
      length += size;
    }
    return Math.min(length, limit);
  }

  private void read(L2Entry entry, long guest, MemorySegment target) throws IOException {
    int within = (int) guest & ((1 << clusterBits) - 1);
    if (entry.unallocated()) {
      below.read(guest, target);
    } else if (entry.compressed()) {
      byte[] bytes = decoder.decode(host, entry.descriptor(), clusterBits, ClusterCompression.ZSTD);
      target.copyFrom(MemorySegment.ofArray(bytes).asSlice(within, target.byteSize()));
    } else if (entry.readsAsZeros()) {
      target.fill((byte) 0);
    } else {
      long hostOffset = entry.hostOffset() + within;
      if (host.read(hostOffset, target, scratch) < target.byteSize()) {
        throw new IOException("The cluster that was written at byte " + hostOffset + " is gone");
      }
    }
  }

  @Override
  public void close() {
    decoder.close();
    arena.close();
  }
}
