package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FlushingTest {
  private final Flushing flushing = new Flushing();

  /// Starts a thread and returns when the thread waits or ends.
  private static void startUntilItWaits(Thread thread) {
    thread.start();
    Thread.State state = thread.getState();
    while (state != Thread.State.WAITING && state != Thread.State.TERMINATED) {
      Thread.onSpinWait();
      state = thread.getState();
    }
  }

  /// Linux reports a writeback error only to the first flush, so a system call of the second flush
  /// would succeed. The second flush must fail without a system call.
  @Test
  void aFlushThatBeginsDuringOneThatFailsFails() throws Exception {
    FutureTask<IOException> second =
        new FutureTask<>(() -> assertThrows(IOException.class, () -> flushing.run(() -> {})));
    Thread thread = Thread.ofPlatform().unstarted(second);
    IOException reported = new IOException("Input/output error");
    IOException first =
        assertThrows(
            IOException.class,
            () ->
                flushing.run(() -> {
                  startUntilItWaits(thread);
                  throw reported;
                }));
    assertSame(reported, first);
    assertSame(reported, second.get().getCause());
  }

  @Test
  void flushesThatWaitShareTheNextOne() throws Exception {
    AtomicInteger count = new AtomicInteger();
    Flushing.Flush flush = count::incrementAndGet;
    FutureTask<Void> second = flush(flush);
    FutureTask<Void> third = flush(flush);
    List<Thread> threads =
        List.of(Thread.ofPlatform().unstarted(second), Thread.ofPlatform().unstarted(third));
    flushing.run(() -> {
      threads.forEach(FlushingTest::startUntilItWaits);
      flush.run();
    });
    second.get();
    third.get();
    assertEquals(2, count.get());
    flushing.run(flush);
    assertEquals(3, count.get());
  }

  private FutureTask<Void> flush(Flushing.Flush flush) {
    return new FutureTask<>(() -> {
      flushing.run(flush);
      return null;
    });
  }
}
