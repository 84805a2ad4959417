package dev.pvcpopulators.volume.client;

import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Problem;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.function.Predicate;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/// Follows the status stream of one service over several connections, until a deadline.
final class StatusFollower {
  private static final String EVENTS = "text/event-stream";
  private static final String STATUS = "status";

  /// If no bytes arrive on a connection for this time, the follower opens another connection. A
  /// service sends a comment after 15 s without an event.
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(60);

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final Duration USUAL_PAUSE = Duration.ofSeconds(2);

  private final Exchange exchange;
  private final long deadline;
  private Duration pause = USUAL_PAUSE;
  private @Nullable IOException last;

  /// Creates a follower.
  ///
  /// @param limit the maximum time for all connections together
  StatusFollower(Exchange exchange, Duration limit) {
    this.exchange = exchange;
    this.deadline = System.nanoTime() + limit.toNanos();
  }

  /// Calls `more` for each status until `more` returns false, and returns the last status. Sends
  /// another request if the stream ends, if the connection is lost, or if the service or a proxy
  /// reports a temporary problem.
  ///
  /// @throws IOException if the deadline has passed, if an answer does not follow the contract, if
  ///   the TLS handshake fails, or if the answer is a problem that is not temporary
  StatusReport follow(String path, Predicate<StatusReport> more)
      throws IOException, InterruptedException {
    while (true) {
      try {
        StatusReport last = read(path, more);
        if (last != null) {
          return last;
        }
      } catch (InvalidAnswerException e) {
        throw e;
      } catch (ProblemException e) {
        if (!passes(e.problem())) {
          throw e;
        }
        last = e;
      } catch (IOException e) {
        if (left().isZero() || e.getCause() instanceof SSLHandshakeException) {
          throw e;
        }
        last = e;
      }
      Thread.sleep(shorter(pause, left()));
      if (left().isZero()) {
        throw late(path);
      }
      pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
    }
  }

  private HttpTimeoutException late(String path) {
    HttpTimeoutException late =
        new HttpTimeoutException(
            "GET %s: expected the awaited status in time, found %s"
                .formatted(path, last == null ? "other statuses" : last.getMessage()));
    late.initCause(last);
    return late;
  }

  /// Sends one request, and reads the status stream until `more` returns false or the stream ends.
  ///
  /// @return the status for which `more` returned false; null if the stream ended earlier
  private @Nullable StatusReport read(String path, Predicate<StatusReport> more)
      throws IOException, InterruptedException {
    HttpRequest request = exchange.request(path).header("Accept", EVENTS).GET().build();
    String name = Exchange.name(request);
    HttpResponse<Flow.Publisher<List<ByteBuffer>>> response =
        exchange.send(
            request, BodyHandlers.ofPublisher(), shorter(exchange.endpoint().limit(), left()));
    try (BodyChunks body = BodyChunks.of(response.body())) {
      if (response.statusCode() != 200 || !AnswerReader.mediaType(response).equals(EVENTS)) {
        byte[] answer = body.all(name, VolumeClient.MAX_BYTES, left());
        if (fromProxy(response)) {
          throw new IOException(
              name
                  + ": expected status 200, found status "
                  + response.statusCode()
                  + " of a proxy");
        }
        throw new ProblemException(
            name,
            new AnswerReader(name, response, answer)
                .problem("status 200 with %s or a problem".formatted(EVENTS)));
      }
      EventParser parser = new EventParser();
      while (true) {
        Optional<List<ByteBuffer>> chunk = body.next(name, shorter(LONGEST_SILENCE, left()));
        if (chunk.isEmpty()) {
          return null;
        }
        for (ByteBuffer buffer : chunk.get()) {
          for (EventParser.Event event : events(name, parser, buffer)) {
            if (event.name().equals(STATUS)) {
              StatusReport status = status(name, event);
              pause = parser.retry().map(StatusFollower::bounded).orElse(USUAL_PAUSE);
              if (!more.test(status)) {
                return status;
              }
            }
          }
        }
      }
    }
  }

  private static List<EventParser.Event> events(String name, EventParser parser, ByteBuffer buffer)
      throws InvalidAnswerException {
    try {
      return parser.feed(buffer);
    } catch (IOException e) {
      throw new InvalidAnswerException(name + ": " + e.getMessage(), e);
    }
  }

  private static StatusReport status(String name, EventParser.Event event)
      throws InvalidAnswerException {
    try {
      return StatusReport.read(Notation.JSON.read(event.data().getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new InvalidAnswerException(name + ": " + e.getMessage(), e);
    }
  }

  /// Returns whether the answer is a 502, 503 or 504 from a proxy that cannot reach the service
  /// now. If the service itself answers with 502, 503 or 504, the body is a problem document.
  private static boolean fromProxy(HttpResponse<?> response) {
    return switch (response.statusCode()) {
      case 502, 503, 504 -> !AnswerReader.mediaType(response).equals(Problem.MEDIA_TYPE);
      default -> false;
    };
  }

  /// Returns whether a problem is temporary, so that a later request may succeed. The problem may
  /// come from the service, or from a proxy in front of the service.
  private static boolean passes(Problem problem) {
    return problem.retryable() || problem.status() == 502 || problem.status() == 504;
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  private static Duration bounded(Duration asked) {
    return shorter(asked.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : asked, LONGEST_PAUSE);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
