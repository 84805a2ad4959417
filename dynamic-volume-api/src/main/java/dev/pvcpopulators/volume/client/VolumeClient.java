package dev.pvcpopulators.volume.client;

import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// A thread-safe client of one service that implements the contract of a dynamic volume.
///
/// Each method throws [ProblemException] if the service answers with a problem, except in three
/// cases. [#get] returns [VolumeAnswer.Absent] if there is no volume. [#delete] returns false if
/// its precondition is not met. [#follow] tries again if the problem is temporary.
///
/// Each method throws [InvalidAnswerException] if the answer does not follow the contract, and
/// another [IOException] if the connection fails or the time limit is exceeded. An interrupt ends
/// the request. [#MAX_BYTES] limits the body of an answer. In a status stream, the same limit
/// applies to each line and to the data of each event. Redirects are not followed.
///
/// ```java
/// Endpoint endpoint = Endpoint.of(URI.create("https://10.1.2.3:8443"))
///     .trusting(Path.of("/ca/ca.crt"))
///     .with(new Credentials.TokenFile(Path.of("/token/token")));
/// try (VolumeClient client = new VolumeClient(endpoint)) {
///   client.put(VolumeRequest.empty(), Duration.ZERO);
///   client.follow(status -> !status.phase().terminal(), Duration.ofHours(1));
/// }
/// ```
public final class VolumeClient implements AutoCloseable {
  /// The maximum length of an answer's body in bytes.
  public static final int MAX_BYTES = 1 << 18;

  private static final String VOLUME = "/volume";
  private static final String STATUS = "/volume/status";

  private final Exchange exchange;

  /// Creates a client without opening a connection.
  ///
  /// @throws IOException if the certificates of the endpoint's [Trust] cannot be read
  public VolumeClient(Endpoint endpoint) throws IOException {
    this.exchange = new Exchange(endpoint);
  }

  /// Requests the volume and waits until it can be used. If the waiting time ends first, the
  /// creation continues, and the answer is the status of the creation.
  ///
  /// @param request fields that override the service's settings
  /// @param patience the waiting time, at most a day. The service gets whole seconds; a fraction of
  ///   a second is cut off. A waiting time below one second requests an immediate answer
  public VolumeAnswer put(VolumeRequest request, Duration patience)
      throws IOException, InterruptedException {
    boolean now = patience.toSeconds() == 0;
    HttpRequest.Builder builder =
        exchange
            .request(VOLUME)
            .header("Accept", Notation.YAML.mediaType())
            .header("Prefer", now ? "respond-async" : "wait=" + patience.toSeconds());
    if (request.isEmpty()) {
      builder.PUT(BodyPublishers.noBody());
    } else {
      builder
          .header("Content-Type", Notation.JSON.mediaType())
          .PUT(BodyPublishers.ofByteArray(Notation.JSON.write(request.fields())));
    }
    return answer(builder.build(), patience).expect(200, 201, 202).volume();
  }

  /// Returns the volume, the status of its creation or removal, or [VolumeAnswer.Absent]. Throws
  /// [ProblemException] if the creation or removal failed.
  public VolumeAnswer get() throws IOException, InterruptedException {
    HttpRequest request =
        exchange.request(VOLUME).header("Accept", Notation.YAML.mediaType()).GET().build();
    AnswerReader answer = answer(request, Duration.ZERO);
    if (answer.status() == 404 && answer.problem().kind().isEmpty()) {
      return new VolumeAnswer.Absent();
    }
    return answer.expect(200, 202).volume();
  }

  /// Returns the status of the volume.
  public StatusReport status() throws IOException, InterruptedException {
    HttpRequest request =
        exchange.request(STATUS).header("Accept", Notation.JSON.mediaType()).GET().build();
    return answer(request, Duration.ZERO).expect(200).report(Notation.JSON);
  }

  /// Cancels the creation or removes the volume, and waits until the volume is removed.
  ///
  /// @param expected the precondition of the deletion
  /// @param patience waiting time for the removal in addition to the endpoint's limit
  /// @return true if there is no volume now; false if the precondition is not met, so that nothing
  ///   was removed
  /// @throws IllegalArgumentException if an expected revision cannot be an entity tag
  public boolean delete(Expected expected, Duration patience)
      throws IOException, InterruptedException {
    HttpRequest.Builder builder = exchange.request(VOLUME).DELETE();
    switch (expected) {
      case Expected.Anything _ -> {}
      case Expected.Something _ -> builder.header("If-Match", "*");
      case Expected.Revision(var revisions) ->
          builder.header(
              "If-Match",
              revisions.stream()
                  .map(StatusReport::entityTag)
                  .sorted()
                  .collect(Collectors.joining(", ")));
    }
    AnswerReader answer = answer(builder.build(), patience);
    if (answer.status() == 412) {
      answer.problem();
      return false;
    }
    answer.expect(204);
    return true;
  }

  /// Follows the status stream, even after the end of a creation. Reconnects after a lost
  /// connection, and then receives the present status, but not the statuses that it missed.
  ///
  /// @param more called with each status on the caller's thread; the stream ends if `more` returns
  ///   false
  /// @param limit the maximum time for the whole call
  /// @return the status for which `more` returned false
  public StatusReport follow(Predicate<StatusReport> more, Duration limit)
      throws IOException, InterruptedException {
    return new StatusFollower(exchange, limit).follow(STATUS + "?follow=true", more);
  }

  private AnswerReader answer(HttpRequest request, Duration patience)
      throws IOException, InterruptedException {
    Duration limit = exchange.endpoint().limit().plus(patience);
    String name = Exchange.name(request);
    long end = System.nanoTime() + limit.toNanos();
    HttpResponse<Flow.Publisher<List<ByteBuffer>>> response =
        exchange.send(request, BodyHandlers.ofPublisher(), limit);
    try (BodyChunks body = BodyChunks.of(response.body())) {
      Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
      return new AnswerReader(name, response, body.all(name, MAX_BYTES, left));
    }
  }

  /// Ends the requests in progress. Afterwards, no byte of these requests is sent.
  @Override
  public void close() {
    exchange.close();
  }
}
