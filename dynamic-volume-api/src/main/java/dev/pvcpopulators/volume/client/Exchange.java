package dev.pvcpopulators.volume.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Sends requests to one service. Each request has the endpoint's credentials and a time limit for
/// its answer. Redirects are not followed, and no proxy is used.
final class Exchange implements AutoCloseable {
  private final Endpoint endpoint;
  private final HttpClient client;

  /// Creates the HTTP client for an endpoint, without opening a connection.
  ///
  /// @throws IOException if the certificates of the endpoint's [Trust] cannot be read
  Exchange(Endpoint endpoint) throws IOException {
    this.endpoint = endpoint;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(endpoint.limit());
    endpoint.trust().context().ifPresent(builder::sslContext);
    this.client = builder.build();
  }

  Endpoint endpoint() {
    return endpoint;
  }

  /// Returns a builder of a request to a path, with the endpoint's credentials.
  ///
  /// @throws IOException if the credentials cannot be read
  HttpRequest.Builder request(String path) throws IOException {
    HttpRequest.Builder request = HttpRequest.newBuilder(endpoint.resolve(path));
    Optional<String> authorization = endpoint.credentials().authorization();
    authorization.ifPresent(value -> request.header("Authorization", value));
    return request;
  }

  /// Sends a request and waits for its answer. If the handler returns the answer's body as a
  /// stream, waits only for the status and the header fields of the answer.
  ///
  /// @throws IOException if the connection fails or the time limit is exceeded
  <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler, Duration limit)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> answer = client.sendAsync(request, handler);
    try {
      return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      HttpTimeoutException over =
          new HttpTimeoutException(
              name(request) + ": expected an answer within " + limit + ", found none");
      over.initCause(e);
      throw over;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(name(request) + ": expected an answer, found " + cause, cause);
    } finally {
      // Closes the connection if the answer has not arrived; otherwise has no effect.
      answer.cancel(true);
    }
  }

  /// Returns the method and the address of a request, for messages.
  static String name(HttpRequest request) {
    return request.method() + " " + request.uri();
  }

  /// Ends the requests in progress, and waits until their connections are closed. Without this
  /// wait, a request whose connection is still being opened could be sent after this method has
  /// returned.
  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }
}
