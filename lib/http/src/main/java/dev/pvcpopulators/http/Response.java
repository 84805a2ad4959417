package dev.pvcpopulators.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.http.Header;
import org.apache.http.HttpEntity;
import org.apache.http.HttpHeaders;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpUriRequest;

/// A server's response, whose body has yet to be read.
public final class Response implements Closeable {
  private final HttpUriRequest request;
  private final CloseableHttpResponse response;
  private final boolean home;

  /// @param home whether the request went to the host that was asked for, and nowhere else before
  Response(HttpUriRequest request, CloseableHttpResponse response, boolean home) {
    this.request = request;
    this.response = response;
    this.home = home;
  }

  /// The status code.
  public int status() {
    return response.getStatusLine().getStatusCode();
  }

  /// Returns whether the origin that was asked answered, without a redirect to another.
  public boolean home() {
    return home;
  }

  /// The first header of that name.
  public Optional<String> header(String name) {
    return Optional.ofNullable(response.getFirstHeader(name)).map(Header::getValue);
  }

  /// All headers of that name, in order.
  public List<String> headers(String name) {
    List<String> values = new ArrayList<>();
    for (Header header : response.getHeaders(name)) {
      values.add(header.getValue());
    }
    return values;
  }

  /// The body's announced length in bytes; negative if there is none.
  public long length() {
    HttpEntity entity = response.getEntity();
    return entity == null ? 0 : entity.getContentLength();
  }

  /// Returns whether the end of the body can be told from a lost connection (RFC 9112 §6.3).
  public boolean delimited() {
    HttpEntity entity = response.getEntity();
    return entity == null || entity.isChunked() || entity.getContentLength() >= 0;
  }

  /// The body; reads go through to the socket.
  public InputStream body() throws IOException {
    HttpEntity entity = response.getEntity();
    return entity == null ? InputStream.nullInputStream() : entity.getContent();
  }

  /// The body, or its first `limit` bytes.
  public byte[] bytes(int limit) throws IOException {
    return body().readNBytes(limit);
  }

  /// Returns whether the status says that the same request may succeed later.
  public boolean overloaded() {
    return status() == 408 || status() == 429 || status() >= 500;
  }

  /// How long the server asks to wait, at most 60 s.
  public Optional<Duration> retryAfter() {
    return header(HttpHeaders.RETRY_AFTER).flatMap(text -> Backoff.asked(text, Instant.now()));
  }

  /// A note for messages on a content coding that was not asked for; empty if there is none. It is
  /// no reason to refuse: some servers declare a coding for content that has none.
  public String encodingNote() {
    return ContentEncoding.of(this);
  }

  /// Drops the connection, because what is left of a body can be anything.
  @Override
  public void close() {
    request.abort();
  }
}
