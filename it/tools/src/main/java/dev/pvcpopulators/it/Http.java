package dev.pvcpopulators.it;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/// Sends requests to a service. Bodies and answers must fit into memory. A request that takes
/// longer than [#LIMIT] fails the test.
public final class Http {
  public static final Duration LIMIT = Duration.ofMinutes(10);

  private final HttpClient client;
  private final URI base;

  public Http(URI base) {
    this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    this.base = base;
  }

  /// Creates a client for HTTP and HTTPS.
  ///
  /// @param tls the TLS context for HTTPS
  public Http(URI base, SSLContext tls) {
    this.client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(tls).build();
    this.base = base;
  }

  /// Sends a request without a body.
  public Answer ask(String method, String path, String... fields)
      throws IOException, InterruptedException {
    return send(request(path, fields).method(method, BodyPublishers.noBody()).build());
  }

  /// Sends a GET.
  ///
  /// @param fields the header fields: alternating names and values
  public Answer get(String path, String... fields) throws IOException, InterruptedException {
    return send(request(path, fields).GET().build());
  }

  public Answer head(String path, String... fields) throws IOException, InterruptedException {
    return send(request(path, fields).HEAD().build());
  }

  public Answer delete(String path, String... fields) throws IOException, InterruptedException {
    return send(request(path, fields).DELETE().build());
  }

  public Answer put(String path, byte[] body, String... fields)
      throws IOException, InterruptedException {
    return send(request(path, fields).PUT(BodyPublishers.ofByteArray(body)).build());
  }

  public Answer patch(String path, byte[] body, String... fields)
      throws IOException, InterruptedException {
    return send(request(path, fields).method("PATCH", BodyPublishers.ofByteArray(body)).build());
  }

  /// Begins a PUT without a body and does not wait for its answer.
  public CompletableFuture<Answer> putLater(String path, String... fields) {
    HttpRequest request = request(path, fields).PUT(BodyPublishers.noBody()).build();
    return client.sendAsync(request, BodyHandlers.ofString()).thenApply(Http::answer);
  }

  /// Begins to read a stream of events. The lines end when the service ends the stream. The caller
  /// must close the returned stream of lines.
  public CompletableFuture<Stream<String>> events(String path) {
    HttpRequest request = request(path, "Accept", "text/event-stream").GET().build();
    return client.sendAsync(request, BodyHandlers.ofLines()).thenApply(HttpResponse::body);
  }

  private HttpRequest.Builder request(String path, String... fields) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(base + path)).timeout(LIMIT);
    return fields.length == 0 ? builder : builder.headers(fields);
  }

  private Answer send(HttpRequest request) throws IOException, InterruptedException {
    try {
      return answer(client.send(request, BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new IOException(request + ": " + e.getMessage(), e);
    }
  }

  private static Answer answer(HttpResponse<String> response) {
    Map<String, String> headers = new HashMap<>();
    for (Map.Entry<String, List<String>> field : response.headers().map().entrySet()) {
      headers.put(field.getKey().toLowerCase(Locale.ROOT), field.getValue().getLast());
    }
    return new Answer(response.statusCode(), headers, response.body());
  }
}
