package dev.pvcpopulators.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.http.Header;
import org.apache.http.HttpEntity;
import org.apache.http.HttpHeaders;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpUriRequest;

/// A server's response; the caller reads the body.
public final class Response implements Closeable {
  /// The content codings (RFC 9110 §8.4) that an error message may name. A message quotes no other
  /// value of the `Content-Encoding` header.
  private static final Set<String> CODINGS = Set.of("gzip", "deflate", "br", "zstd", "compress");

  private final HttpUriRequest request;
  private final CloseableHttpResponse response;
  private final boolean home;

  /// Wraps a response.
  ///
  /// @param home whether the first request and all requests that followed redirects went to the
  ///   same origin
  Response(HttpUriRequest request, CloseableHttpResponse response, boolean home) {
    this.request = request;
    this.response = response;
    this.home = home;
  }

  /// Returns the status code.
  public int status() {
    return response.getStatusLine().getStatusCode();
  }

  /// Returns whether the requested origin itself answered, without a redirect to another origin.
  public boolean home() {
    return home;
  }

  /// Returns the value of the first header field with the given name; empty if there is no such
  /// field.
  public Optional<String> header(String name) {
    return Optional.ofNullable(response.getFirstHeader(name)).map(Header::getValue);
  }

  /// Returns the values of all header fields with the given name, in order.
  public List<String> headers(String name) {
    return Arrays.stream(response.getHeaders(name)).map(Header::getValue).toList();
  }

  /// Returns the length of the body in bytes; 0 if there is no body, for example after HEAD;
  /// negative if the server does not announce the length.
  public long length() {
    HttpEntity entity = response.getEntity();
    return entity == null ? 0 : entity.getContentLength();
  }

  /// Returns whether the end of the body can be distinguished from a lost connection (RFC 9112
  /// §6.3).
  public boolean delimited() {
    HttpEntity entity = response.getEntity();
    return entity == null || entity.isChunked() || entity.getContentLength() >= 0;
  }

  /// Returns the body. The stream has no buffer of its own; only the HTTP client has a buffer.
  public InputStream body() throws IOException {
    HttpEntity entity = response.getEntity();
    return entity == null ? InputStream.nullInputStream() : entity.getContent();
  }

  /// Returns the body; if the body is longer than `limit` bytes, its first `limit` bytes.
  public byte[] bytes(int limit) throws IOException {
    return body().readNBytes(limit);
  }

  /// Returns whether the status means that the same request may succeed later.
  public boolean overloaded() {
    return status() == 408 || status() == 429 || status() >= 500;
  }

  /// Returns the delay that the server asks for, at most 60 s; empty if `Retry-After` is missing or
  /// invalid.
  public Optional<Duration> retryAfter() {
    return header(HttpHeaders.RETRY_AFTER).flatMap(text -> Backoff.asked(text, Instant.now()));
  }

  /// Returns a note about a content coding that was not requested, for messages; empty if the
  /// response declares no coding or the coding `identity`. In an error message, the note follows
  /// the name of the content. An unrequested coding is no reason to refuse the response: some
  /// servers declare a coding although the content is not encoded.
  public String encodingNote() {
    String coding =
        header(HttpHeaders.CONTENT_ENCODING).orElse("").strip().toLowerCase(Locale.ROOT);
    if (coding.isEmpty() || coding.equals("identity")) {
      return "";
    }
    return " (sent with Content-Encoding"
        + (CODINGS.contains(coding) ? " " + coding : "")
        + ", which a proxy may have added)";
  }

  /// Closes the connection. Does not read the rest of the body, because the rest may have any
  /// length.
  @Override
  public void close() {
    request.abort();
  }
}
