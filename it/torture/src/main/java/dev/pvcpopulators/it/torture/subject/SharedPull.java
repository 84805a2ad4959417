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

/// A pull by a service: the transfer up to the round's [Moment], and the service's answer to the
/// client. Several rounds share the valve.
final class SharedPull {
  private final Valve valve;
  private final Moment moment;
  private final CompletableFuture<?> mark;
  private final long end;
  private final CompletableFuture<Answer> client = new CompletableFuture<>();

  /// Completes when no further transfer follows. If the transfer continues after a successful
  /// answer, this future never completes.
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();

  /// Creates a pull.
  ///
  /// @param valve the open valve; the service receives the bytes that the valve counts
  /// @param length the total number of bytes to transfer
  /// @param mark a future that completes when `moment` is reached; used only if `moment` is after
  ///   the last byte
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

  /// Sends the request and does not wait for the answer.
  ///
  /// @param goesOn whether the transfer continues after a successful answer
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
        throw new AssertionError(e); // the thread is never interrupted
      }
    });
  }

  /// Waits for the moment, for the end of the transfer, or for the end of the process. The wait
  /// takes at most [Moment#LONGEST], or twice this time for a moment after the last byte.
  void awaitMoment(Service service) throws InterruptedException {
    CompletableFuture<Boolean> reached = Transfer.reached(valve, end);
    CompletableFuture<?> gone = service.gone();
    var _ = settled(CompletableFuture.anyOf(reached, over, gone), Moment.LONGEST.toMillis());
    if (moment.afterTheLastByte()) {
      var _ = settled(CompletableFuture.anyOf(mark, over, gone), Moment.LONGEST.toMillis());
    }
  }

  /// Waits for the service's answer or the end of the connection, and returns the outcome for the
  /// client. Fails after [Http#LIMIT].
  Outcome ending() throws InterruptedException {
    if (!settled(client, Http.LIMIT.toMillis())) {
      throw new BrokenInvariant("the client", "an answer, or the end of its connection", "neither");
    }
    return client.isCompletedExceptionally()
        ? new Outcome.Unanswered()
        : Transfer.ending(client.join());
  }

  /// Waits for a future.
  ///
  /// @return false if the future has not completed within `millis` milliseconds
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
