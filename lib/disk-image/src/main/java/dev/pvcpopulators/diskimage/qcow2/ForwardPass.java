package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.util.OptionalLong;

/// One image, followed from its first byte to its last, once or several times.
///
/// Three things are known to lie ahead at any time: the rest of the L1 table, the L2 tables that it
/// names, and the runs that L2 tables passed so far name. Whichever comes first in the source is
/// next. Every other byte stays unclaimed, in the window and then in staging, until all tables are
/// followed; what is unclaimed then is garbage.
///
/// Without staging, what left the window is gone. A table that would have to be read from there is
/// left to the next pass, and a run that lies there is noted as missed: for the next pass it is one
/// that is known to lie ahead. Nothing else differs between passes, and nothing is placed twice.
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
  private PendingRuns missed;

  /// @param pending empty
  /// @param missed empty; not used where the look-back stages
  ForwardPass(
      Qcow2Header header,
      OptionalLong sourceLength,
      Window window,
      HostClaims claims,
      LookBack passed,
      CompressedClusters compressed,
      DiskSink sink,
      PendingRuns pending,
      PendingRuns missed) {
    this.header = header;
    this.bounds = SourceBounds.of(header, sourceLength, window);
    this.window = window;
    this.claims = claims;
    this.passed = passed;
    this.compressed = compressed;
    this.sink = sink;
    this.pending = pending;
    this.missed = missed;
    this.tables = new TableIndex(header.clusterBits(), header.l1EntriesOfDisk());
    this.l1 = PassingTable.l1(header);
    this.refcounts = PassingTable.refcounts(header);
    this.table = new byte[header.clusterSize()];
  }

  /// Follows the whole source, of which the window holds the first chunk.
  ///
  /// @throws MalformedImageException when the image contradicts itself or ends too early
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

  /// Follows the source again, of which the window holds the first chunk again, for what the passes
  /// before have left to do.
  void repeat() throws IOException {
    PendingRuns done = pending;
    pending = missed;
    missed = done;
    tables.restart();
    toTheEnd();
  }

  /// True when everything that the image maps has been placed; asked after a pass.
  boolean complete() {
    return tables.allFollowed() && missed.isEmpty();
  }

  private void toTheEnd() throws IOException {
    follow();
    while (!window.exhausted()) {
      if (compressed.busy() && window.mayBlock()) {
        // Somebody may wait for what has arrived, and the source may take its time.
        compressed.finish();
      }
      if (!allTablesFollowed() && window.nextStart() > window.start()) {
        compressed.settle(window.nextStart());
        passed.rescue(window.nextStart());
      }
      window.advance();
      bounds.requirePlausible();
      follow();
    }
    finish();
  }

  private boolean allTablesFollowed() {
    return l1.passed() && tables.allFollowed();
  }

  /// Does everything that the bytes read so far allow.
  private void follow() throws IOException {
    boolean more = true;
    while (more) {
      // The L2 tables are not known in order before the whole L1 table has passed.
      long table = l1.passed() ? tables.nextOffset() : l1.nextOffset();
      if (refcounts.nextOffset() < Math.min(table, pending.due())) {
        more = followRefcounts();
      } else if (!pending.isEmpty() && pending.due() <= table) {
        // An extent that ends where a table begins does not wait for the table.
        more = followRun();
      } else if (l1.passed()) {
        more = followL2();
      } else {
        more = followL1();
      }
    }
  }

  /// Refcount blocks say nothing about the disk; to know where they are saves staging them.
  ///
  /// @return false when the rest of the table is not there yet
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

  /// @return false when the next run is not there yet
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

  /// @return false when the rest of the L1 table is not there yet
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

  /// Says that no table maps what the L1 entries from `from` up to `to`, exclusive, stand for.
  private void tellGap(int from, int to) throws IOException {
    long begin = from * header.l2Coverage();
    long end = to < header.l1EntriesOfDisk() ? to * header.l2Coverage() : header.guestSize();
    if (begin < end) {
      sink.zeros(begin, end - begin);
    }
  }

  /// @return false when the next L2 table is not there yet
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

  /// @param boundary host offset before which everything has passed, and after which nothing was
  ///   followed
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

  /// The source has ended: what is still ahead is missing.
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

  /// The last sectors of the last extent may be missing: the file ends with the data.
  private void addLastExtent(long host, long guest, int length) throws IOException {
    if (host >= window.end()) {
      throw bounds.ended("compressed cluster", host);
    }
    compressed.add(host, guest, (int) Math.min(length, window.end() - host));
  }

  private static MalformedImageException malformed(String structure, long offset, String reason) {
    return new MalformedImageException(structure, offset, reason);
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
