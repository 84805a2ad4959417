package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.qcow2.format.L1Entry;
import dev.pvcpopulators.diskimage.qcow2.format.L2Table;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Format;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Header;
import java.io.IOException;
import java.util.OptionalLong;

/// Decodes one image from its first byte to its last, in one or several passes.
///
/// The offsets of four kinds of structures may be known before the bytes of the structures arrive:
/// the rest of the L1 table, the rest of the refcount table, L2 tables that the L1 table names, and
/// runs of data whose L2 table has been read. Of the known structures, the one that comes first in
/// the source is processed next. Bytes outside the known structures are kept, in the window and
/// then in staging, until a table claims them. Bytes that no table ever claims are garbage.
///
/// Without staging, bytes that left the window are lost for the current pass. A lost table is left
/// to the next pass. The lost part of a run is recorded as missed, and becomes a known run of the
/// next pass. If a part of a compressed extent is lost, the whole extent is recorded as missed. No
/// part of a run is written to the disk twice.
final class ForwardPass {
  private final Qcow2Header header;
  private final SourceBounds bounds;
  private final Window window;
  private final HostClaims claims;
  private final LookBack passed;
  private final CompressedClusters compressed;
  private final DiskSink sink;
  private final TableIndex tables;
  private final byte[] table;
  private final PassingTable l1;
  private final PassingTable refcounts;
  private PendingRuns pending;

  /// Stays empty if the look-back stages unclaimed bytes.
  private PendingRuns missed;

  /// Creates a decoder.
  ///
  /// @param mostRuns maximum number of pending runs; the same maximum applies separately to missed
  ///   runs
  ForwardPass(
      Qcow2Header header,
      OptionalLong sourceLength,
      Window window,
      HostClaims claims,
      LookBack passed,
      CompressedClusters compressed,
      DiskSink sink,
      int mostRuns) {
    this.header = header;
    this.bounds = SourceBounds.of(header, sourceLength, window);
    this.window = window;
    this.claims = claims;
    this.passed = passed;
    this.compressed = compressed;
    this.sink = sink;
    this.pending = new PendingRuns(mostRuns);
    this.missed = new PendingRuns(mostRuns);
    this.tables = new TableIndex(header.clusterBits(), header.l1EntriesOfDisk());
    this.l1 = PassingTable.l1(header);
    this.refcounts = PassingTable.refcounts(header);
    this.table = new byte[header.clusterSize()];
  }

  /// Reads the whole source. Before this call, the caller reads at least the first cluster of the
  /// source into the window, or the whole source if the source is shorter.
  ///
  /// @throws MalformedImageException if the image is inconsistent or ends too early
  void run() throws IOException {
    bounds.requirePlausible();
    claims.claim("qcow2 header", 0, header.clusterSize());
    if (header.l1Entries() > 0) {
      claims.claim("L1 table", header.l1Offset(), (long) header.l1Entries() * Long.BYTES);
    }
    if (l1.length() > 0) {
      bounds.require("L1 table", header.l1Offset(), l1.length());
    }
    if (header.refcountClusters() > 0) {
      claims.claim("refcount table", header.refcountOffset(), refcounts.length());
    }
    toTheEnd();
  }

  /// Reads the source again, and processes what the earlier passes left. Before this call, the
  /// caller restarts the window and reads at least the fixed header into the window.
  void repeat() throws IOException {
    PendingRuns done = pending;
    pending = missed;
    missed = done;
    tables.restart();
    toTheEnd();
  }

  /// Returns true if everything that the image maps has been written to the disk; valid after a
  /// pass.
  boolean complete() {
    return tables.allFollowed() && missed.isEmpty();
  }

  private void toTheEnd() throws IOException {
    follow();
    while (!window.exhausted()) {
      if (compressed.busy() && window.mayBlock()) {
        // Compressed clusters that have arrived are written to the disk before a read of the source
        // that may block, because a reader of the disk may be waiting for these clusters.
        compressed.finish();
      }
      boolean allTablesFollowed = l1.passed() && tables.allFollowed();
      if (!allTablesFollowed && window.nextStart() > window.start()) {
        compressed.settle(window.nextStart());
        passed.rescue(window.nextStart());
      }
      window.advance();
      bounds.requirePlausible();
      follow();
    }
    finish();
  }

  /// Processes the known structures that have arrived, in the order of the source.
  private void follow() throws IOException {
    boolean more = true;
    while (more) {
      // The order of the L2 tables is unknown until the whole L1 table has been read.
      long table = l1.passed() ? tables.nextOffset() : l1.nextOffset();
      if (refcounts.nextOffset() < Math.min(table, pending.due())) {
        more = followRefcounts();
      } else if (!pending.isEmpty() && pending.due() <= table) {
        // A compressed extent that ends at the start of a table does not wait for the table.
        more = followRun();
      } else if (l1.passed()) {
        more = followL2();
      } else {
        more = followL1();
      }
    }
  }

  /// Reads the entries of the refcount table that have arrived. The content of refcount blocks is
  /// not needed. Their clusters get an owner without use ([HostClaims#disown]), so that the blocks
  /// are not staged.
  ///
  /// @return false if the rest of the table has not arrived yet
  private boolean followRefcounts() throws IOException {
    while (refcounts.arrived(window.end())) {
      long block = passed.word(refcounts.nextOffset());
      boolean plausible = block > 0 && block < Qcow2Format.MAX_HOST_OFFSET;
      if (plausible && block % header.clusterSize() == 0) {
        claims.disown(block);
      }
      refcounts.advance();
    }
    return refcounts.passed();
  }

  /// Processes the next run: a complete compressed extent, or the arrived part of a run of standard
  /// clusters.
  ///
  /// @return false if the extent has not arrived completely, or no part of the run has arrived
  private boolean followRun() throws IOException {
    long end = window.end();
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

  /// Processes the entries of the L1 table that have arrived. After the last entry, also processes
  /// the L2 tables that precede the L1 table in the source.
  ///
  /// @return false if the rest of the table has not arrived yet
  private boolean followL1() throws IOException {
    int gap = l1.index();
    while (l1.arrived(window.end())) {
      L1Entry entry = new L1Entry(passed.word(l1.nextOffset()));
      addTable(entry, l1.nextOffset());
      if (entry.allocated()) {
        tellGap(gap, l1.index());
        gap = l1.index() + 1;
      }
      l1.advance();
    }
    tellGap(gap, l1.index());
    if (!l1.passed()) {
      return false;
    }
    tables.seal(claims);
    while (tables.nextOffset() < header.l1Offset()) {
      followNextTable(header.l1Offset() + l1.length());
    }
    return true;
  }

  /// Announces that the guest ranges of the L1 entries from `from` (inclusive) to `to` (exclusive)
  /// are zeros. These entries have no L2 table.
  private void tellGap(int from, int to) throws IOException {
    long begin = from * header.l2Coverage();
    long end = to < header.l1EntriesOfDisk() ? to * header.l2Coverage() : header.guestSize();
    if (begin < end) {
      sink.zeros(begin, end - begin);
    }
  }

  /// Processes the next L2 table.
  ///
  /// @return false if the table has not arrived yet
  private boolean followL2() throws IOException {
    if (tables.nextOffset() > window.end() - header.clusterSize()) {
      return false;
    }
    followNextTable(tables.nextOffset());
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
    bounds.require("L2 table", host, header.clusterSize());
    tables.add(l1.index(), host);
  }

  /// Processes or defers the next L2 table. The table is deferred if its bytes are no longer
  /// available, or if its runs would exceed the limit for pending runs or for missed runs.
  ///
  /// @param boundary a host offset up to which all bytes have been read; runs that end after this
  ///   offset become pending
  private void followNextTable(long boundary) throws IOException {
    long host = tables.nextOffset();
    if (host < passed.reach()) {
      tables.deferNext();
      tables.advance();
      return;
    }
    long guest = tables.nextL1Index() * header.l2Coverage();
    passed.read(host, table, 0, table.length);
    RunCount runs = new RunCount(passed.reach(), boundary);
    new L2Table(header, host, guest, table, runs).visit();
    if (pending.hasRoomFor(runs.ahead()) && missed.hasRoomFor(runs.missed())) {
      new L2Table(header, host, guest, table, new Placement(boundary)).visit();
    } else {
      passed.keepTable(host, table);
      tables.deferNext();
    }
    tables.advance();
  }

  /// Finishes the pass after the source has ended. Refuses an image if a part of the L1 table, of
  /// an L2 table or of the data is beyond the end of the source.
  private void finish() throws IOException {
    long end = window.end();
    if (!l1.passed()) {
      throw bounds.ended("L1 table", l1.nextOffset());
    }
    if (tables.nextOffset() < Long.MAX_VALUE) {
      throw bounds.ended("L2 table", tables.nextOffset());
    }
    while (!pending.isEmpty()) {
      if (!pending.compressed()) {
        throw bounds.ended("data cluster", pending.hostOffset());
      }
      addLastExtent(pending.hostOffset(), pending.guestOffset(), (int) pending.length());
      pending.remove();
    }
    if (passed.staging()) {
      followDeferred(end);
    }
    compressed.finish();
  }

  private void followDeferred(long end) throws IOException {
    for (int i = tables.nextDeferred(0); i >= 0; i = tables.nextDeferred(i + 1)) {
      passed.read(tables.hostOffset(i), table, 0, table.length);
      long guest = tables.l1Index(i) * header.l2Coverage();
      new L2Table(header, tables.hostOffset(i), guest, table, new Placement(end)).visit();
    }
    tables.deferredFollowed();
  }

  /// Adds a compressed extent that ends after the end of the source. The last sectors of the extent
  /// may be incomplete, because the source may end where the data of the extent ends.
  private void addLastExtent(long host, long guest, int length) throws IOException {
    if (host >= window.end()) {
      throw bounds.ended("compressed cluster", host);
    }
    compressed.add(host, guest, (int) Math.min(length, window.end() - host));
  }

  private static MalformedImageException malformed(String structure, long offset, String reason) {
    return new MalformedImageException(structure, offset, reason);
  }

  /// Claims the clusters that an L2 table names, writes arrived data to the disk, and records other
  /// runs as pending or missed.
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
      bounds.require("data cluster", host, length);
      if (host + length <= boundary) {
        long gone = Math.clamp(passed.reach() - host, 0, length);
        if (gone > 0) {
          missed.addData(host, guest, gone);
        }
        if (gone < length) {
          passed.place(host + gone, guest + gone, length - gone);
        }
      } else if (window.exhausted() && boundary == window.end()) {
        throw bounds.ended("data cluster", host);
      } else {
        pending.addData(host, guest, length);
      }
    }

    @Override
    public void zeros(long guest, long length) throws IOException {
      sink.zeros(guest, length);
    }

    @Override
    public void compressed(long host, long guest, int length) throws IOException {
      bounds.require("compressed cluster", host, 1);
      claims.share(host, 1);
      if (host + length <= boundary && host < passed.reach()) {
        missed.addCompressed(host, guest, length);
      } else if (host + length <= boundary) {
        compressed.add(host, guest, length);
      } else if (window.exhausted() && boundary == window.end()) {
        addLastExtent(host, guest, length);
      } else {
        pending.addCompressed(host, guest, length);
      }
    }
  }
}
