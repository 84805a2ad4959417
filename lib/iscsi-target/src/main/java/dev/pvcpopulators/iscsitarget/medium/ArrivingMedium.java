package dev.pvcpopulators.iscsitarget.medium;

import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Complete;
import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Discredited;
import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Failed;
import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Underway;
import dev.pvcpopulators.iscsitarget.medium.Waiters.Waiter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A disk of known length that is read while it arrives. Not writable.
///
/// One thread brings the stream, in any order of offsets, each byte at most once: [#arrive] and
/// [#arriveZeros], then [#complete] once the stream was checked, or [#discredit] where the check
/// failed; [#restart] where it broke and comes again, [#fail] where it does not. Other threads may
/// bring ranges by another way meanwhile: [#arriveAhead].
///
/// **Until [#complete] nothing vouches for what is read**: who must not see such bytes waits with
/// showing the disk.
///
/// Readers wait by [#arrival]. Its futures complete on the thread that brings the last byte, or
/// that ends the waiting: what hangs on them moves elsewhere whatever takes long.
public final class ArrivingMedium implements Medium {
  private static final int BLOCK = BlockMapFile.BLOCK;
  private static final int AHEAD_AT_ONCE = 1 << 20;

  private final DiskFiles files;
  private final Medium file;
  private final BlockMapFile map;
  private final Bitmap present;
  private final Filling filling;
  private final Waiters waiters;
  private final Arrival arrival;
  private final FarReads farReads;
  private final long farDistance;

  private volatile long frontier;

  private ArrivingMedium(
      DiskFiles files, Medium file, BlockMapFile map, FarReads farReads, long farDistance) {
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

  /// Makes an empty disk, in place of whatever the files held.
  ///
  /// @param length bytes, a multiple of 512 up to 16 TiB
  /// @param identity what the disk is made from, such as a digest: at most 200 bytes of UTF-8
  /// @param farDistance bytes: a reader waits for what is so much ahead of everything that the
  ///   stream has brought is told to `farReads`
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

  /// Opens, read only, a disk that was [#complete] in an earlier life of the process.
  ///
  /// @param identity as it was given to [#create]
  /// @return empty where there is none, or not a complete one of this identity: pull it again
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

  /// Takes bytes of the stream, from the buffer's position to its limit. Blocks of zeros take no
  /// space in the file.
  ///
  /// @param offset bytes, with what the buffer holds within the disk
  /// @throws MediumFullException where the file system has no room; the stream may be begun again
  /// @throws IOException where what came ahead, or before a [#restart], differs: the disk is
  ///   discredited then. Or where the disk is not underway any more
  public void arrive(long offset, ByteBuffer data) throws IOException {
    long length = data.remaining();
    Objects.checkFromIndexSize(offset, length, length());
    arrival.fill(() -> filling.stream(offset, data));
    streamed(offset, length);
  }

  /// Takes the word of the stream that a range is zeros.
  ///
  /// @param offset bytes, with `length` within the disk
  /// @throws IOException as [#arrive]
  public void arriveZeros(long offset, long length) throws IOException {
    Objects.checkFromIndexSize(offset, length, length());
    arrival.fill(() -> filling.zeros(offset, length));
    streamed(offset, length);
  }

  /// Takes bytes that did not come by the stream, of which the whole blocks (of 4,096 bytes) are
  /// used that are still missing. They can be read at once; when the stream brings the same range
  /// they are compared. For any thread. Does nothing where the disk is complete by now.
  ///
  /// @param offset bytes, with what the buffer holds within the disk
  /// @throws IOException as [#arrive]
  public void arriveAhead(long offset, ByteBuffer data) throws IOException {
    Objects.checkFromIndexSize(offset, data.remaining(), length());
    int limit = data.limit();
    long position = offset;
    while (data.hasRemaining()) {
      // In pieces that end with a block, so that the stream does not wait long.
      long end = (position + AHEAD_AT_ONCE) / BLOCK * BLOCK;
      data.limit((int) Math.min(limit, data.position() + (end - position)));
      long from = position;
      position += data.remaining();
      arrival.fillAhead(() -> filling.ahead(from, data));
      // Where the disk is complete by now, nobody has looked at the buffer.
      data.position(data.limit());
      arrived(from, position);
      data.limit(limit);
    }
  }

  /// Says that the stream has ended and was verified: what it did not bring is zeros. Returns when
  /// the disk is on stable storage and marked as complete there.
  ///
  /// @throws StorageLostException where the file could not be flushed: nothing of it can be read
  ///   any more, because the kernel may have forgotten what it could not write
  /// @throws IOException where something came ahead that the stream did not bring: the disk is
  ///   discredited then. Or where only that it is complete could not be noted: all can be read, and
  ///   a restart of the process will not find the disk complete
  public void complete() throws IOException {
    try {
      file.flush();
    } catch (IOException e) {
      StorageLostException lost = new StorageLostException(e);
      arrival.discredit(lost);
      throw lost;
    }
    arrival.complete();
    arrived(0, length());
    files.syncNames();
    map.writeHeader(map.header().completed());
    map.force();
  }

  /// Ends the waiting for what is missing: it will not come. What is present stays readable. Does
  /// nothing where nothing is missing.
  public void fail(IOException reason) {
    arrival.fail(reason);
  }

  /// Begins again with a stream of the same bytes from its beginning, after one that broke: those
  /// who wait go on waiting, what is present stays readable, and the new stream is compared with
  /// it.
  ///
  /// @throws IOException where the disk is discredited or closed
  public void restart() throws IOException {
    arrival.restart(() -> frontier = 0);
  }

  /// Fails everything, what is present and what is missing: the disk is not what it should be.
  /// Final, but for a disk that is complete already, which was verified.
  public void discredit(IOException reason) {
    arrival.discredit(reason);
  }

  /// Bytes that are present; the last block counts in whole.
  public long presentBytes() {
    return Math.min(length(), filling.presentBlocks() * BLOCK);
  }

  /// Whether nothing is missing and all of it was verified.
  public boolean isComplete() {
    return arrival.isComplete();
  }

  /// Whether nothing of it may be read any more: it was not what it should be, or is closed.
  public boolean isDiscredited() {
    return arrival.state() instanceof Discredited;
  }

  /// How many readers wait.
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
    // After parking: who ends the waiting changes the state first and looks for those who wait
    // then.
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

  @Override
  public @Nullable FileRange inFile(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, length());
    boolean readable =
        switch (arrival.state()) {
          case Complete _ -> true;
          case Underway _, Failed _ -> isPresent(offset, length);
          case Discredited _ -> false;
        };
    return readable ? file.inFile(offset, length) : null;
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

  /// Nothing is written through this medium, so that there is nothing to flush.
  @Override
  public void flush() {}

  /// Ends all waiting and closes the file.
  @Override
  public void close() throws IOException {
    arrival.close();
    try (file;
        map) {
      // Both are closed, whatever the first says.
    }
  }

  private void streamed(long offset, long length) {
    // Only the thread that brings the stream moves it.
    frontier = Math.max(frontier, offset + length);
    arrived(offset, offset + length);
  }

  /// Wakes those who waited for blocks of a range, which may be present only in part.
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
