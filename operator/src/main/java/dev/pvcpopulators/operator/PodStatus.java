package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.status.Progress;
import dev.pvcpopulators.volume.client.Trust;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// A client for the status of one pod. The client connects to the pod's address, without proxies or
/// redirects.
final class PodStatus implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration ANSWER = Duration.ofSeconds(5);

  /// Maximum length of a status document, far above the length of a real one.
  private static final long MOST_BYTES = 256 << 10;

  private final HttpClient client;
  private final HttpRequest request;

  /// Creates a client.
  ///
  /// @param certificate PEM, the only server certificate accepted; null for plain HTTP
  /// @throws IllegalArgumentException if `certificate` is not a PEM certificate
  PodStatus(String address, int port, String token, @Nullable String certificate) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(ProxySelector.of(null))
            .connectTimeout(CONNECT);
    if (certificate != null) {
      builder.sslContext(trusting(certificate));
    }
    client = builder.build();
    String host = address.contains(":") ? "[" + address + "]" : address;
    request =
        HttpRequest.newBuilder(
                URI.create(
                    "%s://%s:%d/volume/status"
                        .formatted(certificate == null ? "http" : "https", host, port)))
            .header("Authorization", "Bearer " + token)
            .header("Accept", "application/json")
            .timeout(ANSWER)
            .build();
  }

  /// Reads the status.
  ///
  /// @throws IOException if the pod does not answer with a status
  Progress read() throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        client.send(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES));
    if (answer.statusCode() != HttpURLConnection.HTTP_OK) {
      throw new IOException("Expected status 200, found " + answer.statusCode());
    }
    return Progress.read(answer.body());
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  private static SSLContext trusting(String certificate) {
    try {
      return new Trust.Exactly(certificate).context().orElseThrow();
    } catch (IOException e) {
      throw new IllegalArgumentException("status.upload.certificate: expected PEM", e);
    }
  }
}
