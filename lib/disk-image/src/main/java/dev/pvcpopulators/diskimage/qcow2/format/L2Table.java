package dev.pvcpopulators.diskimage.qcow2.format;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.nio.ByteBuffer;

/// One L2 table, read in the order of its guest clusters (QEMU docs/interop/qcow2, "Cluster
/// mapping" and "Extended L2 Entries"). This class checks each entry separately. A [Visitor] may
/// check relations between entries, for example that no two entries have the same host cluster.
public final class L2Table {
  /// Receives the content of a table.
  public interface Visitor {
    /// Visits the host cluster of a standard cluster, even if the standard cluster reads as zeros.
    default void allocated(long hostOffset) throws IOException {}

    /// Visits a run of host bytes that contain guest bytes. Bytes that are contiguous both in the
    /// image file and on the disk are in one run. A run ends at the end of the disk at the latest.
    void data(long hostOffset, long guestOffset, long length) throws IOException;

    /// Visits a run of guest bytes that are unallocated or marked as zeros. Contiguous bytes are in
    /// one run. A run ends at the end of the disk at the latest.
    default void zeros(long guestOffset, long length) throws IOException {}

    /// Visits a compressed guest cluster.
    ///
    /// @param length bytes from `hostOffset` to the end of the extent's last sector
    void compressed(long hostOffset, long guestOffset, int length) throws IOException;
  }

  private final Qcow2Header header;
  private final long hostOffset;
  private final long guestOffset;
  private final ByteBuffer entries;
  private final Visitor visitor;

  private long runHost;
  private long runGuest;
  private long runLength;
  private long zerosGuest;
  private long zerosLength;

  /// Creates a table.
  ///
  /// @param hostOffset the host offset of the table, for messages
  /// @param guestOffset the guest offset of the first cluster that the table maps
  /// @param content the bytes of the table, one cluster
  public L2Table(
      Qcow2Header header, long hostOffset, long guestOffset, byte[] content, Visitor visitor) {
    this.header = header;
    this.hostOffset = hostOffset;
    this.guestOffset = guestOffset;
    this.entries = ByteBuffer.wrap(content);
    this.visitor = visitor;
  }

  /// Visits the entries of the clusters that begin before the end of the disk.
  ///
  /// @throws MalformedImageException at the first invalid entry
  public void visit() throws IOException {
    long end = Math.min(header.guestSize() - guestOffset, header.l2Coverage());
    int count = (int) ((end + header.clusterSize() - 1) >>> header.clusterBits());
    for (int i = 0; i < count; i++) {
      visit(i, guestOffset + ((long) i << header.clusterBits()));
    }
    endRun();
    endZeros();
  }

  private void visit(int index, long guest) throws IOException {
    int at = index * header.l2EntryLength();
    L2Entry entry = new L2Entry(entries.getLong(at));
    SubclusterBitmap subclusters =
        header.features().extendedL2()
            ? new SubclusterBitmap(entries.getLong(at + Long.BYTES))
            : SubclusterBitmap.WHOLE;
    if (entry.compressed()) {
      if (header.features().extendedL2() && !subclusters.empty()) {
        throw malformed(at, "a compressed cluster has no subclusters, its bitmap is not 0");
      }
      compressed(at, entry.descriptor(), guest);
    } else {
      standard(at, entry, subclusters, guest);
    }
  }

  private void standard(int at, L2Entry entry, SubclusterBitmap subclusters, long guest)
      throws IOException {
    if (entry.reservedBitsSet()) {
      throw malformed(at, "reserved bits are set in " + hex(entry.raw()));
    }
    boolean zeroAllowed = header.version() == 3 && !header.features().extendedL2();
    if (entry.readsAsZeros() && !zeroAllowed) {
      throw malformed(at, "the zero flag is reserved in this image but set in " + hex(entry.raw()));
    }
    if (subclusters.contradictory()) {
      throw malformed(at, "a subcluster is both allocated and zero: " + hex(subclusters.raw()));
    }
    if (!entry.allocated()) {
      if (header.features().extendedL2() && subclusters.anyAllocated()) {
        throw malformed(at, "subclusters are allocated in a cluster that is not");
      }
      zeros(guest, visible(guest));
      return;
    }
    long host = entry.hostOffset();
    if (host % header.clusterSize() != 0) {
      throw malformed(at, "the host offset " + host + " is not at a cluster");
    }
    requireReachable(at, host);
    visitor.allocated(host);
    if (entry.readsAsZeros()) {
      zeros(guest, visible(guest));
    } else {
      data(host, guest, subclusters);
    }
  }

  private void data(long host, long guest, SubclusterBitmap subclusters) throws IOException {
    int bits = header.clusterBits() - Integer.numberOfTrailingZeros(Qcow2Format.SUBCLUSTERS);
    long visible = visible(guest);
    if (subclusters.equals(SubclusterBitmap.WHOLE)) {
      run(host, guest, visible);
      return;
    }
    for (int from = 0; from < Qcow2Format.SUBCLUSTERS; ) {
      int allocated = subclusters.nextAllocated(from);
      int missing = subclusters.nextMissing(allocated);
      long begin = Math.min((long) from << bits, visible);
      long middle = Math.min((long) allocated << bits, visible);
      long end = Math.min((long) missing << bits, visible);
      zeros(guest + begin, middle - begin);
      if (middle < end) {
        run(host + middle, guest + middle, end - middle);
      }
      from = missing;
    }
  }

  /// Returns how many bytes of a guest cluster are within the disk.
  private long visible(long guest) {
    return Math.min(header.clusterSize(), header.guestSize() - guest);
  }

  /// Adds guest bytes without data to the current run of zeros, or begins a new run.
  ///
  /// @param length may be 0
  private void zeros(long guest, long length) throws IOException {
    if (zerosLength > 0 && zerosGuest + zerosLength == guest) {
      zerosLength += length;
    } else if (length > 0) {
      endZeros();
      zerosGuest = guest;
      zerosLength = length;
    }
  }

  private void endZeros() throws IOException {
    if (zerosLength > 0) {
      visitor.zeros(zerosGuest, zerosLength);
      zerosLength = 0;
    }
  }

  private void compressed(int at, CompressedDescriptor descriptor, long guest) throws IOException {
    long host = descriptor.hostOffset(header.clusterBits());
    requireReachable(at, host);
    endRun();
    visitor.compressed(host, guest, descriptor.length(header.clusterBits()));
  }

  private void run(long host, long guest, long length) throws IOException {
    if (runLength > 0 && runHost + runLength == host && runGuest + runLength == guest) {
      runLength += length;
      return;
    }
    endRun();
    runHost = host;
    runGuest = guest;
    runLength = length;
  }

  private void endRun() throws IOException {
    if (runLength > 0) {
      visitor.data(runHost, runGuest, runLength);
      runLength = 0;
    }
  }

  private void requireReachable(int at, long host) throws MalformedImageException {
    if (host >= Qcow2Format.MAX_HOST_OFFSET) {
      throw malformed(at, "the host offset " + host + " is beyond 1 PiB");
    }
  }

  private MalformedImageException malformed(int at, String reason) {
    return new MalformedImageException("L2 table entry", hostOffset + at, reason);
  }

  private static String hex(long word) {
    return "0x" + Long.toHexString(word);
  }
}
