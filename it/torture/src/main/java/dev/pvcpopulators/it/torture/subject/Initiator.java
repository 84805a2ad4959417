package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.IscsiSession;
import dev.pvcpopulators.it.torture.content.WrittenDisk;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// An initiator that writes to a LUN and flushes the writes, on a separate thread. The thread ends
/// after a random number of writes, after [#stop], or after a failure of the target.
final class Initiator {
  private static final int MOST_WRITES = 12;
  private static final int MOST_UNFLUSHED = 3;
  private static final long LIMIT_SECONDS = 600;
  private static final String FAILED = "failed";

  private final WrittenDisk disk;
  private final SplittableRandom random;
  private final int mark;
  private final CompletableFuture<@Nullable Void> marked = new CompletableFuture<>();
  private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
  private volatile @Nullable IscsiSession session;
  private volatile boolean stopped;

  /// Creates an initiator.
  ///
  /// @param fraction the number of answered writes at which [#marked] completes, as a fraction of
  ///   [#MOST_WRITES]; at least 0 and below 1
  Initiator(WrittenDisk disk, double fraction, SplittableRandom random) {
    this.disk = disk;
    this.mark = (int) (fraction * MOST_WRITES);
    this.random = random;
  }

  /// Returns a future that completes when the target has answered `mark` writes, or when no further
  /// write follows.
  CompletableFuture<?> marked() {
    return marked;
  }

  void begin(IscsiLun lun) {
    Thread.startVirtualThread(() -> {
      try (IscsiSession opened = IscsiSession.of(lun)) {
        session = opened;
        write(opened);
      } catch (IOException | AssertionError _) {
        // The session may fail. The LUN must still contain the writes that were flushed before the
        // failure.
      } finally {
        over();
      }
    });
  }

  /// Completes [#marked] and ends [#await], because no further write follows.
  void over() {
    marked.complete(null);
    done.complete(null);
  }

  private void write(IscsiSession opened) throws IOException {
    List<WrittenDisk.Write> answered = new ArrayList<>();
    int writes = random.nextInt(1, MOST_WRITES);
    for (int i = 0; i < writes && !stopped; i++) {
      if (i == mark) {
        marked.complete(null);
      }
      WrittenDisk.Write write = disk.next(random);
      if (opened.tries(write.command()).contains(FAILED)) {
        return;
      }
      answered.add(write);
      if (answered.size() >= random.nextInt(1, MOST_UNFLUSHED)) {
        if (opened.tries("flush").contains(FAILED)) {
          return;
        }
        disk.flushed(answered);
        answered.clear();
      }
    }
  }

  /// Ends the thread after the current write.
  void stop() {
    stopped = true;
  }

  /// Ends the session at once. Without this call, an initiator waits forever for a target that has
  /// ended.
  void abandon() {
    stopped = true;
    IscsiSession running = session;
    if (running != null) {
      running.kill();
    }
  }

  /// Waits until the thread has ended. If the thread has not ended after [#LIMIT_SECONDS], ends the
  /// session and throws a [BrokenInvariant].
  void await() throws InterruptedException {
    try {
      done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      abandon();
      throw new BrokenInvariant("the initiator of a running target", "an answer", "none");
    } catch (java.util.concurrent.ExecutionException e) {
      throw new AssertionError(e);
    }
  }
}
