package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.outcome.Outcome;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// What a service pulls through a valve that outlives the round, up to the round's moment, and what
/// its client is answered.
final class SharedPull {
  private final Valve valve;
  private final Moment moment;
  private final CompletableFuture<?> mark;
  private final long end;
  private final CompletableFuture<Answer> client = new CompletableFuture<>();

  /// Completes where nothing more comes of it.
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();

  /// @param valve open; its receiver is the service
  /// @param length bytes that come through it in all
  /// @param mark completes at a moment after the last byte
  SharedPull(Valve valve, Moment moment, long length, CompletableFuture<?> mark) {
    this.valve = valve;
    this.moment = moment;
    this.mark = mark;
    this.end = valve.passed() + moment.bytes(length);
    if (moment.held() && !moment.afterTheLastByte()) {
      valve.only(moment.bytes(length));
    }
  }

  Valve valve() {
    return valve;
  }

  /// Asks, and does not wait for the answer.
  ///
  /// @param goesOn whether an answer that it is made comes while it still is
  void begin(Transfer.Request request, boolean goesOn) {
    Thread.startVirtualThread(() -> {
      try {
        Answer answer = request.ask();
        client.complete(answer);
        if (!goesOn || !(Transfer.ending(answer) instanceof Outcome.Made)) {
          over.complete(true);
        }
      } catch (IOException | AssertionError e) {
        client.completeExceptionally(e);
        over.complete(true);
      } catch (InterruptedException e) {
        throw new AssertionError(e); // nobody interrupts it
      }
    });
  }

  /// Waits for the moment, or until nothing more comes of it, or the process has ended.
  void awaitMoment(Service service) throws InterruptedException {
    CompletableFuture<Boolean> reached = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        valve.awaitPassed(end);
        reached.complete(true);
      } catch (InterruptedException e) {
        throw new AssertionError(e); // nobody interrupts it
      }
    });
    CompletableFuture<?> gone = service.gone();
    var _ = settled(CompletableFuture.anyOf(reached, over, gone), Moment.LONGEST.toMillis());
    if (moment.afterTheLastByte()) {
      var _ = settled(CompletableFuture.anyOf(mark, over, gone), Moment.LONGEST.toMillis());
    }
  }

  /// What the client got.
  Outcome ending() throws InterruptedException {
    if (!settled(client, Http.LIMIT.toMillis())) {
      throw new BrokenInvariant("the client", "an answer, or the end of its connection", "neither");
    }
    return client.isCompletedExceptionally()
        ? new Outcome.Unanswered()
        : Transfer.ending(client.join());
  }

  /// @return false if it did not come about in so many milliseconds
  private static boolean settled(CompletableFuture<?> future, long millis)
      throws InterruptedException {
    try {
      future.get(millis, TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException _) {
      return true;
    } catch (TimeoutException _) {
      return false;
    }
  }
}
