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

/// A transfer through a valve to the service, the moment for which [#awaitMoment] waits, and the
/// service's answer to the client.
///
/// @param valve the valve, whose receiver is the service
/// @param until the total number of bytes that have passed the valve when `moment` is reached
/// @param client completes with the answer, or exceptionally if the connection ends without an
///   answer
record Transfer(Valve valve, Moment moment, long until, CompletableFuture<Answer> client) {
  private static final String PROBLEM = "urn:pvc-populators:problem:";

  /// Sends a request and returns its answer.
  interface Request {
    Answer ask() throws IOException, InterruptedException;
  }

  /// Creates a transfer.
  ///
  /// @param length the total number of bytes to transfer from now on
  static Transfer of(Valve valve, Moment moment, long length) {
    if (moment.held() && !moment.afterTheLastByte()) {
      valve.only(moment.bytes(length));
    }
    long until = valve.passed() + moment.bytes(length);
    return new Transfer(valve, moment, until, new CompletableFuture<>());
  }

  /// Sends the request and does not wait for the answer.
  void begin(Request request) {
    Thread.startVirtualThread(() -> {
      try {
        client.complete(request.ask());
      } catch (IOException e) {
        client.completeExceptionally(e);
      } catch (InterruptedException e) {
        throw new AssertionError(e); // the thread is never interrupted
      }
    });
  }

  /// Waits for the moment, for the answer, or for the end of the process. The wait for the bytes
  /// before the moment takes at most [Moment#LONGEST].
  ///
  /// @param tail the usual time from the last byte to the service's answer, in milliseconds
  void awaitMoment(Service service, long tail) throws InterruptedException {
    CompletableFuture<Boolean> reached = reached(valve, until);
    CompletableFuture<?> gone = service.gone();
    settled(CompletableFuture.anyOf(reached, client, gone), Moment.LONGEST.toMillis());
    if (moment.afterTheLastByte()) {
      settled(CompletableFuture.anyOf(client, gone), moment.millisAfter(tail));
    }
  }

  /// Returns a future that completes when `until` bytes in total have passed the valve.
  static CompletableFuture<Boolean> reached(Valve valve, long until) {
    CompletableFuture<Boolean> reached = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        valve.awaitPassed(until);
        reached.complete(true);
      } catch (InterruptedException e) {
        throw new AssertionError(e); // the thread is never interrupted
      }
    });
    return reached;
  }

  /// Waits for the answer or the end of the connection, and returns the outcome for the client.
  /// Fails after [Http#LIMIT].
  Outcome ending() throws InterruptedException {
    if (!settled(client, Http.LIMIT.toMillis())) {
      throw new BrokenInvariant("the client", "an answer, or the end of its connection", "neither");
    }
    if (client.isCompletedExceptionally()) {
      return new Outcome.Unanswered();
    }
    return ending(client.join());
  }

  /// Returns the outcome that an answer reports.
  static Outcome ending(Answer answer) {
    if (answer.status() == 201 || answer.status() == 200) {
      return new Outcome.Made();
    }
    String type = answer.problem().path("type").asText();
    return new Outcome.Refused(
        answer.status(), type.startsWith(PROBLEM) ? type.substring(PROBLEM.length()) : type);
  }

  /// Waits for a future.
  ///
  /// @return false if the future has not completed within `millis` milliseconds, or has completed
  ///   with a [SocketTimeoutException]
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
