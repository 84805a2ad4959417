package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The readers that wait for ranges of a disk. Each reader is registered under the first missing
/// block of its range. So [#arrived] does not check a reader before this block arrives.
///
/// If no reader waits, an arrival costs one volatile read. No lock is held while a future is
/// completed. A reader's future is completed by the thread that calls [#arrived] or [#fail], unless
/// the caller of [#park] has already completed or cancelled the future.
final class Waiters {
  private record Place(long block, long serial) {}

  /// One waiting reader.
  static final class Waiter extends CompletableFuture<Void> {
    private final long end;
    private volatile Place place;

    private Waiter(Place place, long end) {
      this.place = place;
      this.end = end;
    }

    /// Returns the first missing block of the reader's range.
    long firstMissing() {
      return place.block();
    }

    /// Returns the block after the last block of the reader's range.
    long end() {
      return end;
    }
  }

  private final Bitmap present;
  private final NavigableMap<Place, Waiter> parked =
      new TreeMap<>(Comparator.comparingLong(Place::block).thenComparingLong(Place::serial));
  private long serial;
  private volatile int count;

  Waiters(Bitmap present) {
    this.present = present;
  }

  /// Registers a reader for a range of blocks, unless all these blocks are present.
  ///
  /// @return the registered reader; null if all blocks are present
  synchronized @Nullable Waiter park(long from, long to) {
    // The reader is counted before its blocks are checked. So a thread that sets a bit after the
    // check sees the count, and does not miss this reader.
    count = parked.size() + 1;
    long missing = present.nextClear(from, to);
    if (missing == to) {
      count = parked.size();
      return null;
    }
    Waiter waiter = new Waiter(new Place(missing, serial++), to);
    parked.put(waiter.place, waiter);
    // The reader is removed after every outcome, because the caller may cancel the future or set a
    // time limit for it.
    var _ = waiter.whenComplete((_, _) -> remove(waiter));
    return waiter;
  }

  /// Completes the futures of the readers whose blocks are all present. Called after a range became
  /// present.
  void arrived(long from, long to) {
    if (count == 0 || from == to) {
      return;
    }
    List<Waiter> done = new ArrayList<>();
    synchronized (this) {
      NavigableMap<Place, Waiter> touched =
          parked.subMap(new Place(from, 0), true, new Place(to, 0), false);
      List<Waiter> waiters = List.copyOf(touched.values());
      touched.clear();
      for (Waiter waiter : waiters) {
        long missing = present.nextClear(waiter.firstMissing(), waiter.end);
        if (missing == waiter.end) {
          done.add(waiter);
        } else {
          waiter.place = new Place(missing, waiter.place.serial());
          parked.put(waiter.place, waiter);
        }
      }
      count = parked.size();
    }
    done.forEach(waiter -> waiter.complete(null));
  }

  /// Completes the futures of all readers with a failure.
  void fail(IOException reason) {
    List<Waiter> all;
    synchronized (this) {
      all = List.copyOf(parked.values());
      parked.clear();
      count = 0;
    }
    all.forEach(waiter -> waiter.completeExceptionally(reason));
  }

  /// Returns the number of waiting readers.
  int count() {
    return count;
  }

  private synchronized void remove(Waiter waiter) {
    parked.remove(waiter.place, waiter);
    count = parked.size();
  }
}
