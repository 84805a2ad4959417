package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import dev.pvcpopulators.diskimage.compression.OrderedTasks;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Header;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Decompresses clusters on a few worker threads. The number of batches, and so the memory, is
/// bounded. The calling thread writes the decompressed clusters to the sink, in the order of the
/// calls of [#add].
final class CompressedClusters implements AutoCloseable {
  private final Qcow2Header header;
  private final LookBack passed;
  private final Window window;
  private final HostClaims claims;
  private final DiskSink sink;
  private final int workers;
  private final Supplier<ClusterInflater> inflaters;

  private final List<CompressedBatch> batches = new ArrayList<>();
  private final Deque<CompressedBatch> idle = new ArrayDeque<>();
  private final Deque<CompressedBatch> running = new ArrayDeque<>();
  private final OrderedTasks<CompressedBatch> tasks;
  private @Nullable CompressedBatch filling;

  CompressedClusters(
      Qcow2Header header,
      LookBack passed,
      Window window,
      HostClaims claims,
      DiskSink sink,
      int workers,
      Supplier<ClusterInflater> inflaters) {
    this.header = header;
    this.passed = passed;
    this.window = window;
    this.claims = claims;
    this.sink = sink;
    this.workers = workers;
    this.inflaters = inflaters;
    this.tasks = new OrderedTasks<>(workers, "qcow2-inflate-");
  }

  /// Adds a compressed extent whose bytes have all arrived. This method copies the bytes of the
  /// extent before it returns.
  ///
  /// @param length bytes to the end of the extent's last sector, or to the end of the source if
  ///   that is earlier
  void add(long hostOffset, long guestOffset, int length) throws IOException {
    CompressedBatch batch = filling;
    if (batch != null && !batch.hasRoomFor(length)) {
      submit(batch);
      batch = null;
    }
    if (batch == null) {
      batch = nextBatch();
      filling = batch;
    }
    int at = batch.add(hostOffset, guestOffset, length);
    passed.read(hostOffset, batch.source(), at, length);
  }

  /// Decompresses and writes every added extent that begins before `hostOffset`, and possibly other
  /// extents. After this call, the parts of these extents that are in the window are marked as
  /// consumed.
  void settle(long hostOffset) throws IOException {
    CompressedBatch batch = filling;
    if (batch != null && beginsBefore(batch, hostOffset)) {
      submit(batch);
    }
    while (running.stream().anyMatch(next -> beginsBefore(next, hostOffset))) {
      finishOldest();
    }
  }

  /// Returns true if any extent is pending: in the batch that is being filled, or in a submitted
  /// batch.
  boolean busy() {
    return filling != null || !running.isEmpty();
  }

  /// Decompresses and writes all added extents.
  void finish() throws IOException {
    settle(Long.MAX_VALUE);
  }

  @Override
  public void close() {
    tasks.close();
    batches.forEach(CompressedBatch::close);
  }

  private static boolean beginsBefore(CompressedBatch batch, long hostOffset) {
    for (int i = 0; i < batch.count(); i++) {
      if (batch.hostOffset(i) < hostOffset) {
        return true;
      }
    }
    return false;
  }

  private CompressedBatch nextBatch() throws IOException {
    // There may be one more batch than there are workers, so that a batch can be filled while all
    // workers are busy.
    if (idle.isEmpty() && batches.size() <= workers) {
      CompressedBatch batch = new CompressedBatch(header.clusterBits(), inflaters.get());
      batches.add(batch);
      idle.add(batch);
    }
    if (idle.isEmpty()) {
      finishOldest();
    }
    return idle.remove();
  }

  private void submit(CompressedBatch batch) {
    filling = null;
    running.add(batch);
    tasks.submit(batch);
  }

  private void finishOldest() throws IOException {
    CompressedBatch batch = tasks.next();
    running.remove();
    for (int i = 0; i < batch.count(); i++) {
      long host = batch.hostOffset(i);
      claims.share(host, batch.length(i));
      if (!window.consume(host, batch.length(i))) {
        throw new MalformedImageException(
            "compressed cluster", host, "it overlaps another compressed cluster");
      }
    }
    write(batch);
    batch.clear();
    idle.add(batch);
  }

  /// Writes the clusters of a batch to the sink. Consecutive guest clusters are written in one
  /// call.
  private void write(CompressedBatch batch) throws IOException {
    int size = header.clusterSize();
    for (int from = 0; from < batch.count(); ) {
      int to = from + 1;
      while (to < batch.count()
          && batch.guestOffset(to) == batch.guestOffset(from) + (long) (to - from) * size) {
        to++;
      }
      long guest = batch.guestOffset(from);
      long length = Math.min((long) (to - from) * size, header.guestSize() - guest);
      sink.write(guest, batch.target(), from * size, Math.toIntExact(length));
      from = to;
    }
  }
}
