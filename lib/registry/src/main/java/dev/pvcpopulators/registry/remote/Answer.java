package dev.pvcpopulators.registry.remote;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.http.Header;
import org.apache.http.HttpEntity;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpUriRequest;

/// A server's answer whose body is still to be read.
final class Answer implements Closeable {
  private final HttpUriRequest request;
  private final CloseableHttpResponse response;
  private final boolean home;

  /// @param home whether the request went to the host that was asked for, and nowhere else before
  Answer(HttpUriRequest request, CloseableHttpResponse response, boolean home) {
    this.request = request;
    this.response = response;
    this.home = home;
  }

  int status() {
    return response.getStatusLine().getStatusCode();
  }

  boolean home() {
    return home;
  }

  /// The first header of that name.
  Optional<String> header(String name) {
    return Optional.ofNullable(response.getFirstHeader(name)).map(Header::getValue);
  }

  /// All headers of that name, in order.
  List<String> headers(String name) {
    List<String> values = new ArrayList<>();
    for (Header header : response.getHeaders(name)) {
      values.add(header.getValue());
    }
    return values;
  }

  /// Bytes that the body is said to have; negative where nothing is said.
  long length() {
    HttpEntity entity = response.getEntity();
    return entity == null ? 0 : entity.getContentLength();
  }

  /// Whether the body's end differs from a lost connection.
  boolean delimited() {
    HttpEntity entity = response.getEntity();
    return entity == null || entity.isChunked() || entity.getContentLength() >= 0;
  }

  /// The body; reads go through to the socket.
  InputStream body() throws IOException {
    HttpEntity entity = response.getEntity();
    return entity == null ? InputStream.nullInputStream() : entity.getContent();
  }

  /// The body, or its first `limit` bytes.
  byte[] bytes(int limit) throws IOException {
    return body().readNBytes(limit);
  }

  /// Drops the connection, because what is left of a body can be anything.
  @Override
  public void close() {
    request.abort();
  }
}
