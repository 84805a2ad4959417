package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/// One image, followed from its first byte to its last.
///
/// Three things are known to lie ahead at any time: the rest of the L1 table, the L2 tables that it
/// names, and the runs that L2 tables passed so far name. Whichever comes first in the source is
/// next. Every other byte stays unclaimed, in the window and then in staging, until all tables are
/// followed; what is unclaimed then is garbage.
final class ForwardPass {
  private final Qcow2Header header;
  private final OptionalLong sourceLength;
  private final Window window;
  private final HostClaims claims;
  private final LookBack passed;
  private final CompressedClusters compressed;
  private final DiskSink sink;
  private final PendingRuns pending;
  private final TableIndex tables;
  private final byte[] table;
  private int l1Read;

  ForwardPass(
      Qcow2Header header,
      OptionalLong sourceLength,
      Window window,
      HostClaims claims,
      LookBack passed,
      CompressedClusters compressed,
      DiskSink sink,
      PendingRuns pending) {
    this.header = header;
    this.sourceLength = sourceLength;
    this.window = window;
    this.claims = claims;
    this.passed = passed;
    this.compressed = compressed;
    this.sink = sink;
    this.pending = pending;
    this.tables = new TableIndex(header.clusterBits(), header.l1EntriesOfDisk());
    this.table = new byte[header.clusterSize()];
  }

  /// Follows the whole source, of which the window holds the first chunk.
  ///
  /// @throws MalformedImageException when the image contradicts itself or ends too early
  void run() throws IOException {
    claims.claim("qcow2 header", 0, header.clusterSize());
    if (header.l1Entries() > 0) {
      long length = (long) header.l1Entries() * Qcow2Format.L1_ENTRY_LENGTH;
      claims.claim("L1 table", header.l1Offset(), length);
      requireInSource("L1 table", header.l1Offset(), l1Length());
    }
    follow();
    while (!window.exhausted()) {
      if (!complete()) {
        compressed.settle(window.nextStart());
        passed.rescue(window.nextStart());
      }
      window.advance();
      follow();
    }
    finish();
  }

  private boolean complete() {
    return l1Read == header.l1EntriesOfDisk() && tables.allFollowed();
  }

  /// Does everything that the bytes read so far allow.
  private void follow() throws IOException {
    long end = window.end();
    while (true) {
      long l1 = nextL1Offset();
      long next = l1 == Long.MAX_VALUE ? tables.nextOffset() : l1;
      if (pending.due() < next) {
        if (!followRun(end)) {
          return;
        }
      } else if (l1 != Long.MAX_VALUE) {
        if (!followL1(end)) {
          return;
        }
      } else if (next > end - header.clusterSize()) {
        return;
      } else {
        followNextTable(next);
      }
    }
  }

  /// @return false when the next run is not there yet
  private boolean followRun(long end) throws IOException {
    if (pending.compressed()) {
      if (pending.due() > end) {
        return false;
      }
      compressed.add(pending.hostOffset(), pending.guestOffset(), (int) pending.length());
      pending.remove();
      return true;
    }
    long host = pending.hostOffset();
    if (host >= end) {
      return false;
    }
    long guest = pending.guestOffset();
    int count = window.contiguous(host, Math.min(pending.length(), end - host));
    pending.consume(count);
    sink.write(guest, window.ring(), window.index(host), count);
    return true;
  }

  private long l1Length() {
    return (long) header.l1EntriesOfDisk() * Qcow2Format.L1_ENTRY_LENGTH;
  }

  private long nextL1Offset() {
    return l1Read == header.l1EntriesOfDisk()
        ? Long.MAX_VALUE
        : header.l1Offset() + (long) l1Read * Qcow2Format.L1_ENTRY_LENGTH;
  }

  /// @return false when the rest of the L1 table is not there yet
  private boolean followL1(long end) throws IOException {
    ByteBuffer ring = ByteBuffer.wrap(window.ring());
    while (l1Read < header.l1EntriesOfDisk()) {
      long offset = nextL1Offset();
      if (offset > end - Qcow2Format.L1_ENTRY_LENGTH) {
        return false;
      }
      addTable(new L1Entry(ring.getLong(window.index(offset))), offset);
      l1Read++;
    }
    tables.seal(claims);
    while (tables.nextOffset() < header.l1Offset()) {
      followNextTable(header.l1Offset() + l1Length());
    }
    return true;
  }

  private void addTable(L1Entry entry, long offset) throws MalformedImageException {
    if (entry.reservedBitsSet()) {
      throw malformed(
          "L1 table entry", offset, "reserved bits are set in 0x" + Long.toHexString(entry.raw()));
    }
    if (!entry.allocated()) {
      return;
    }
    long host = entry.tableOffset();
    if (host % header.clusterSize() != 0) {
      throw malformed("L1 table entry", offset, "the L2 table at " + host + " is not at a cluster");
    }
    if (host >= Qcow2Format.MAX_HOST_OFFSET) {
      throw malformed("L1 table entry", offset, "the L2 table at " + host + " is beyond 1 PiB");
    }
    requireInSource("L2 table", host, header.clusterSize());
    tables.add(l1Read, host);
  }

  /// @param boundary host offset before which everything has passed, and after which nothing was
  ///   followed
  private void followNextTable(long boundary) throws IOException {
    long host = tables.nextOffset();
    long guest = tables.nextL1Index() * header.l2Coverage();
    passed.read(host, table, 0, table.length);
    AheadCount ahead = new AheadCount(boundary);
    new L2Table(header, host, guest, table, ahead).visit();
    if (pending.hasRoomFor(ahead.runs)) {
      new L2Table(header, host, guest, table, new Placement(boundary)).visit();
    } else {
      passed.keepTable(host, table);
      tables.deferNext();
    }
    tables.advance();
  }

  /// The source has ended: what is still ahead is missing.
  private void finish() throws IOException {
    long end = window.end();
    if (l1Read < header.l1EntriesOfDisk()) {
      throw ended("L1 table", nextL1Offset());
    }
    if (tables.nextOffset() < Long.MAX_VALUE) {
      throw ended("L2 table", tables.nextOffset());
    }
    while (!pending.isEmpty()) {
      if (!pending.compressed()) {
        throw ended("data cluster", pending.hostOffset());
      }
      addLastExtent(pending.hostOffset(), pending.guestOffset(), (int) pending.length());
      pending.remove();
    }
    for (int i = tables.nextDeferred(0); i >= 0; i = tables.nextDeferred(i + 1)) {
      passed.read(tables.hostOffset(i), table, 0, table.length);
      long guest = tables.l1Index(i) * header.l2Coverage();
      new L2Table(header, tables.hostOffset(i), guest, table, new Placement(end)).visit();
    }
    compressed.finish();
  }

  /// The last sectors of the last extent may be missing: the file ends with the data.
  private void addLastExtent(long host, long guest, int length) throws IOException {
    if (host >= window.end()) {
      throw ended("compressed cluster", host);
    }
    compressed.add(host, guest, (int) Math.min(length, window.end() - host));
  }

  private void requireInSource(String structure, long host, long length)
      throws MalformedImageException {
    if (sourceLength.isPresent() && host > sourceLength.getAsLong() - length) {
      throw malformed(
          structure,
          host,
          "its %d bytes reach beyond the end of the source at byte %d"
              .formatted(length, sourceLength.getAsLong()));
    }
  }

  private MalformedImageException ended(String structure, long host) {
    return malformed(
        structure, host, "the source ends at byte " + window.end() + ", before its end");
  }

  private static MalformedImageException malformed(String structure, long offset, String reason) {
    return new MalformedImageException(structure, offset, reason);
  }

  /// Counts the runs that a table would add to the pending ones; also sees to it that nothing is
  /// claimed for a table with a broken entry.
  private static final class AheadCount implements L2Table.Visitor {
    private final long boundary;
    private int runs;

    AheadCount(long boundary) {
      this.boundary = boundary;
    }

    @Override
    public void allocated(long host) {
      // Claimed when the table is followed.
    }

    @Override
    public void data(long host, long guest, long length) {
      if (host >= boundary) {
        runs++;
      }
    }

    @Override
    public void compressed(long host, long guest, int length) {
      if (host + length > boundary) {
        runs++;
      }
    }
  }

  /// Claims what a table names, puts what has passed into the disk and notes what lies ahead.
  private final class Placement implements L2Table.Visitor {
    private final long boundary;

    Placement(long boundary) {
      this.boundary = boundary;
    }

    @Override
    public void allocated(long host) throws IOException {
      claims.claim("data cluster", host, header.clusterSize());
    }

    @Override
    public void data(long host, long guest, long length) throws IOException {
      requireInSource("data cluster", host, length);
      if (host + length <= boundary) {
        passed.place(host, guest, length);
      } else if (window.exhausted() && boundary == window.end()) {
        throw ended("data cluster", host);
      } else {
        pending.addData(host, guest, length);
      }
    }

    @Override
    public void compressed(long host, long guest, int length) throws IOException {
      requireInSource("compressed cluster", host, 1);
      claims.share(host, 1);
      if (host + length <= boundary) {
        compressed.add(host, guest, length);
      } else if (window.exhausted() && boundary == window.end()) {
        addLastExtent(host, guest, length);
      } else {
        pending.addCompressed(host, guest, length);
      }
    }
  }
}
