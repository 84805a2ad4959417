package dev.pvcpopulators.iscsitarget.medium;

import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Complete;
import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Discredited;
import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Failed;
import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Underway;
import dev.pvcpopulators.iscsitarget.medium.Waiters.Waiter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A disk of known length that can be read while it arrives. Not writable.
///
/// One thread delivers the stream by [#arrive] and [#arriveZeros], in any order of offsets, each
/// byte at most once. At the end of the stream, this thread calls [#complete] if the verification
/// succeeded, or [#discredit] if the verification failed. If the stream breaks, this thread calls
/// [#restart] before it delivers the stream again, or [#fail] if the stream will not be sent again.
/// While the stream arrives, other threads may call [#arriveAhead] to deliver ranges that they
/// received separately.
///
/// **Data that is read before [#complete] is not verified.** If readers must not see such data,
/// export the disk only after [#complete].
///
/// Readers wait for the future that [#arrival(long, long, Access)] returns. The future completes on
/// the thread that delivers the last missing byte of the range, or on the thread that ends the
/// wait. So a long action that depends on the future must run on another thread.
public final class ArrivingMedium implements Medium {
  private static final int BLOCK = BlockMapFile.BLOCK;
  private static final int AHEAD_AT_ONCE = 1 << 20;

  private final DiskFiles files;
  private final FileMedium file;
  private final BlockMapFile map;
  private final Bitmap present;
  private final Filling filling;
  private final Waiters waiters;
  private final Arrival arrival;
  private final FarReads farReads;
  private final long farDistance;

  private volatile long frontier;

  private ArrivingMedium(
      DiskFiles files, FileMedium file, BlockMapFile map, FarReads farReads, long farDistance) {
    this.files = files;
    this.file = file;
    this.map = map;
    this.present = map.first();
    this.filling = new Filling(file, map);
    this.waiters = new Waiters(present);
    this.arrival = new Arrival(filling, waiters);
    this.farReads = farReads;
    this.farDistance = farDistance;
  }

  /// Creates an empty disk and replaces existing files.
  ///
  /// @param length the length of the disk in bytes: a multiple of 512, at most 16 TiB
  /// @param identity the source of the disk, such as a digest: at most 200 bytes of UTF-8
  /// @param farDistance a distance in bytes: if a reader waits for data that is farther ahead of
  ///   the stream than this distance, `farReads` is notified
  public static ArrivingMedium create(
      DiskFiles files, long length, String identity, FarReads farReads, long farDistance)
      throws IOException {
    BlockMapFile.checkDiskLength(length);
    FileMedium file = files.createDisk(length);
    try {
      BlockMapFile map = BlockMapFile.create(files.map(), length, identity);
      return new ArrivingMedium(files, file, map, farReads, farDistance);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /// Opens a disk that an earlier process left incomplete. Present data stays present, but is
  /// unverified and is compared with the stream, as after [#restart].
  ///
  /// @param length the length that was given to [#create]
  /// @param identity the identity that was given to [#create]
  /// @return the disk; empty in these cases: there is no such disk; the disk is already complete;
  ///   the host was restarted after the disk was created; a flush failed. After a restart of the
  ///   host or a failed flush, blocks that are marked as present may have been lost
  public static Optional<ArrivingMedium> openPartial(
      DiskFiles files, long length, String identity, FarReads farReads, long farDistance)
      throws IOException {
    Optional<BlockMapFile> found = BlockMapFile.openPartial(files.map(), length, identity);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    BlockMapFile map = found.get();
    FileMedium file = null;
    boolean whole = false;
    try {
      if (!Files.isRegularFile(files.disk(), LinkOption.NOFOLLOW_LINKS)) {
        return Optional.empty();
      }
      file = FileMedium.openOwn(files.disk(), true);
      if (file.length() != length) {
        return Optional.empty();
      }
      ArrivingMedium medium = new ArrivingMedium(files, file, map, farReads, farDistance);
      medium.restart();
      whole = true;
      return Optional.of(medium);
    } finally {
      if (!whole) {
        try (map) {
          if (file != null) {
            file.close();
          }
        }
      }
    }
  }

  /// Opens a disk that an earlier process completed by [#complete]. The opened disk is not
  /// writable.
  ///
  /// @param identity the identity that was given to [#create]
  /// @return the disk; empty if there is no map of a complete disk with this identity, or if the
  ///   length of the disk differs from the length in the map
  /// @throws IOException if the map shows that the disk is complete, but the disk cannot be opened
  public static Optional<Medium> openComplete(DiskFiles files, String identity) throws IOException {
    Optional<MapHeader> header = BlockMapFile.completeHeader(files.map(), identity);
    if (header.isEmpty()) {
      return Optional.empty();
    }
    FileMedium file = FileMedium.openOwn(files.disk(), false);
    if (file.length() != header.get().diskLength()) {
      file.close();
      return Optional.empty();
    }
    return Optional.of(file);
  }

  /// Adds bytes of the stream, from the buffer's position to its limit. Blocks of zeros take no
  /// space in the file.
  ///
  /// @param offset the offset on the disk in bytes; the range lies within the disk
  /// @throws MediumFullException if the file system is full; the stream may be restarted
  /// @throws IOException if the disk has failed or is discredited; or if these bytes differ from
  ///   bytes that arrived ahead of the stream or before a [#restart]: the disk is then discredited
  /// @throws IllegalStateException if the disk is complete
  public void arrive(long offset, ByteBuffer data) throws IOException {
    long length = data.remaining();
    Objects.checkFromIndexSize(offset, length, length());
    arrival.fill(() -> filling.stream(offset, data));
    streamed(offset, length);
  }

  /// Adds a range of the stream in which all bytes are zeros.
  ///
  /// @param offset the offset on the disk in bytes; the range lies within the disk
  /// @throws IOException if the disk has failed or is discredited; or if present bytes of the range
  ///   are not zeros: the disk is then discredited
  public void arriveZeros(long offset, long length) throws IOException {
    Objects.checkFromIndexSize(offset, length, length());
    arrival.fill(() -> filling.zeros(offset, length));
    streamed(offset, length);
  }

  /// Adds bytes from outside the stream. Uses only whole blocks (of 4,096 bytes) of which no byte
  /// has arrived. Readers can read these blocks immediately. When the stream delivers these blocks,
  /// the bytes of the stream are compared with the bytes in the file. Thread-safe. Ignores the
  /// buffer's bytes if the disk is complete.
  ///
  /// @param offset the offset on the disk in bytes; the range lies within the disk
  /// @throws MediumFullException if the file system is full; the stream may be restarted
  /// @throws IOException if the disk has failed or is discredited
  public void arriveAhead(long offset, ByteBuffer data) throws IOException {
    Objects.checkFromIndexSize(offset, data.remaining(), length());
    int limit = data.limit();
    long position = offset;
    while (data.hasRemaining()) {
      // Each piece is short, so that the stream does not wait long for the lock. Each piece except
      // the last one ends at a block boundary, so that no block is split.
      long end = (position + AHEAD_AT_ONCE) / BLOCK * BLOCK;
      data.limit((int) Math.min(limit, data.position() + (end - position)));
      long from = position;
      position += data.remaining();
      arrival.fillAhead(() -> filling.ahead(from, data));
      // If the disk is complete, `fillAhead` did not consume the buffer.
      data.position(data.limit());
      arrived(from, position);
      data.limit(limit);
    }
  }

  /// Ends the stream after its verification: ranges that the stream did not deliver are zeros. This
  /// method returns only after the disk is on stable storage and is marked there as complete.
  ///
  /// @throws StorageLostException if the file could not be flushed: the disk can no longer be read,
  ///   because the kernel may have dropped unwritten data
  /// @throws IOException in three cases. First, the disk has failed or is discredited. Second, data
  ///   other than zeros arrived ahead of the stream or before a [#restart], and the stream did not
  ///   deliver that data; this method then discredits the disk. Third, the disk could not be marked
  ///   as complete on stable storage; the disk is then readable, but may count as incomplete after
  ///   a restart of the process
  /// @throws IllegalStateException if the disk is already complete
  public void complete() throws IOException {
    try {
      file.flush();
    } catch (IOException e) {
      StorageLostException lost = new StorageLostException(e);
      arrival.discredit(lost);
      map.distrust(e);
      throw lost;
    }
    arrival.complete();
    arrived(0, length());
    files.syncNames();
    map.writeHeader(map.header().completed());
    map.force();
  }

  /// Fails all waiting readers, because the missing data will not arrive. Until [#restart], new
  /// readers of missing data fail, too. Present data stays readable. Does nothing if the disk is
  /// complete or discredited.
  public void fail(IOException reason) {
    arrival.fail(reason);
  }

  /// Restarts with a new stream of the same bytes after the stream broke. Waiting readers continue
  /// to wait. Present data stays readable and is compared with the new stream.
  ///
  /// @throws IOException if the disk is discredited or closed
  /// @throws IllegalStateException if the disk is complete
  public void restart() throws IOException {
    arrival.restart(() -> frontier = 0);
  }

  /// Makes the whole disk unreadable, because its data is wrong. No later call makes the disk
  /// readable again.
  ///
  /// @throws IllegalStateException if the disk is complete, because a complete disk was verified
  public void discredit(IOException reason) {
    arrival.discredit(reason);
  }

  /// Returns the number of bytes in present blocks: 4,096 for each block, but in total at most the
  /// length of the disk.
  public long presentBytes() {
    return Math.min(length(), filling.presentBlocks() * BLOCK);
  }

  /// Returns whether all data is present and verified.
  public boolean isComplete() {
    return arrival.isComplete();
  }

  /// Returns whether the disk must no longer be read: its data is wrong or lost, or it is closed.
  public boolean isDiscredited() {
    return arrival.state() instanceof Discredited;
  }

  /// Returns the number of waiting readers.
  public int waiting() {
    return waiters.count();
  }

  @Override
  public long length() {
    return file.length();
  }

  @Override
  public boolean writable() {
    return false;
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
    Objects.checkFromIndexSize(offset, length, length());
    ArrivalState now = arrival.state();
    if (now instanceof Discredited(IOException reason)) {
      return CompletableFuture.failedFuture(Arrival.unreadable(reason));
    }
    if (now instanceof Complete || length == 0 || isPresent(offset, length)) {
      return null;
    }
    Waiter waiter = waiters.park(offset / BLOCK, endBlock(offset + length));
    if (waiter == null) {
      return null;
    }
    long missing = waiter.firstMissing() * BLOCK;
    // The state is checked after the waiter is registered. A thread that ends the arrival changes
    // the state before it looks for waiters. So either this check sees the new state, or that
    // thread finds this waiter.
    switch (arrival.state()) {
      case Complete _ -> waiter.complete(null);
      case Failed(IOException reason) -> waiter.completeExceptionally(Arrival.unreadable(reason));
      case Discredited(IOException reason) ->
          waiter.completeExceptionally(Arrival.unreadable(reason));
      case Underway _ -> {
        if (missing - frontier > farDistance) {
          farReads.wanted(missing, Math.min(waiter.end() * BLOCK, length()) - missing);
        }
      }
    }
    return waiter;
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    requirePresent(offset, into.remaining());
    file.read(offset, into);
  }

  /// {@inheritDoc}
  ///
  /// Bytes that have arrived never change: a later stream is only compared with them.
  @Override
  public @Nullable FileChannel unchangingFile(long offset, long length) {
    return isReadable(offset, length) ? file.file() : null;
  }

  /// Returns whether a range can be read now.
  public boolean isReadable(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, length());
    return switch (arrival.state()) {
      case Complete _ -> true;
      case Underway _, Failed _ -> isPresent(offset, length);
      case Discredited _ -> false;
    };
  }

  @Override
  public Extent extent(long offset) throws IOException {
    Objects.checkIndex(offset, length());
    if (arrival.isComplete()) {
      return file.extent(offset);
    }
    long block = offset / BLOCK;
    if (!present.get(block)) {
      long end = present.nextSet(block, present.size());
      return new Extent(Math.min(end * BLOCK, length()) - offset, true);
    }
    long end = present.nextClear(block, present.size());
    Extent inFile = file.extent(offset);
    long length = Math.min(Math.min(end * BLOCK, length()) - offset, inFile.length());
    return new Extent(length, inFile.mapped());
  }

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    throw readOnly();
  }

  @Override
  public void zero(long offset, long length) throws IOException {
    throw readOnly();
  }

  @Override
  public void deallocate(long offset, long length) throws IOException {
    throw readOnly();
  }

  /// Does nothing, because this medium is not writable.
  @Override
  public void flush() {}

  /// Fails all waiting readers and closes the files.
  @Override
  public void close() throws IOException {
    arrival.close();
    try (file;
        map) {
      // Both files are closed, even if closing the first file fails.
    }
  }

  private void streamed(long offset, long length) {
    // Only the thread that delivers the stream changes `frontier`.
    frontier = Math.max(frontier, offset + length);
    arrived(offset, offset + length);
  }

  /// Wakes readers that wait for blocks of a range. If the first or the last block is not entirely
  /// present, that block is omitted.
  private void arrived(long from, long to) {
    long first = from / BLOCK;
    long last = endBlock(to);
    if (first < last && !present.get(last - 1)) {
      last--;
    }
    if (first < last && !present.get(first)) {
      first++;
    }
    waiters.arrived(first, last);
  }

  private boolean isPresent(long offset, long length) {
    return present.allSet(offset / BLOCK, endBlock(offset + length));
  }

  private void requirePresent(long offset, long length) throws IOException {
    Objects.checkFromIndexSize(offset, length, length());
    ArrivalState now = arrival.state();
    if (now instanceof Complete) {
      return;
    }
    if (now instanceof Discredited(IOException reason)) {
      throw Arrival.unreadable(reason);
    }
    if (!isPresent(offset, length)) {
      throw now instanceof Failed(IOException reason)
          ? Arrival.unreadable(reason)
          : new NotArrivedException(offset, length);
    }
  }

  private static long endBlock(long end) {
    return Math.ceilDiv(end, (long) BLOCK);
  }

  private static IOException readOnly() {
    return new IOException("A disk that arrives is read only");
  }
}
