package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.outcome.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// What comes through a valve, up to a round's moment, and what its client is answered.
///
/// @param valve its receiver is the service
/// @param until how many bytes will have passed at the moment
/// @param client completes with the answer, or exceptionally if there is none
record Transfer(Valve valve, Moment moment, long until, CompletableFuture<Answer> client) {
  private static final String PROBLEM = "urn:pvc-populators:problem:";

  /// A request, from its first byte to its answer.
  interface Request {
    Answer ask() throws IOException, InterruptedException;
  }

  /// @param length bytes that come through it in all, from now on
  static Transfer of(Valve valve, Moment moment, long length) {
    if (moment.held() && !moment.afterTheLastByte()) {
      valve.only(moment.bytes(length));
    }
    long until = valve.passed() + moment.bytes(length);
    return new Transfer(valve, moment, until, new CompletableFuture<>());
  }

  /// Asks, and does not wait for the answer.
  void begin(Request request) {
    Thread.startVirtualThread(() -> {
      try {
        client.complete(request.ask());
      } catch (IOException e) {
        client.completeExceptionally(e);
      } catch (InterruptedException e) {
        throw new AssertionError(e); // nobody interrupts it
      }
    });
  }

  /// Waits for the moment, or until there is an answer, or the process has ended.
  ///
  /// @param tail milliseconds that the service takes after the last byte
  void awaitMoment(Service service, long tail) throws InterruptedException {
    CompletableFuture<Boolean> reached = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        valve.awaitPassed(until);
        reached.complete(true);
      } catch (InterruptedException e) {
        throw new AssertionError(e); // nobody interrupts it
      }
    });
    CompletableFuture<?> gone = service.gone();
    settled(CompletableFuture.anyOf(reached, client, gone), Moment.LONGEST.toMillis());
    if (moment.afterTheLastByte()) {
      settled(CompletableFuture.anyOf(client, gone), moment.millisAfter(tail));
    }
  }

  /// What the client got.
  Outcome ending() throws InterruptedException {
    if (!settled(client, Http.LIMIT.toMillis())) {
      throw new BrokenInvariant("the client", "an answer, or the end of its connection", "neither");
    }
    if (client.isCompletedExceptionally()) {
      return new Outcome.Unanswered();
    }
    return ending(client.join());
  }

  /// What an answer means.
  static Outcome ending(Answer answer) {
    if (answer.status() == 201 || answer.status() == 200) {
      return new Outcome.Made();
    }
    String type = answer.problem().path("type").asText();
    return new Outcome.Refused(
        answer.status(), type.startsWith(PROBLEM) ? type.substring(PROBLEM.length()) : type);
  }

  /// @return false if it did not come about in so many milliseconds
  private static boolean settled(CompletableFuture<?> future, long millis)
      throws InterruptedException {
    try {
      future.get(millis, TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException) {
        return !(e.getCause() instanceof SocketTimeoutException);
      }
      throw new UncheckedIOException(new IOException(e));
    } catch (TimeoutException _) {
      return false;
    }
  }
}
