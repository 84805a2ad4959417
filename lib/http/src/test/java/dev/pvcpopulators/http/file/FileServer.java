package dev.pvcpopulators.http.file;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pvcpopulators.http.HttpOptions;
import dev.pvcpopulators.http.InsecureHosts;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// An HTTP server that calls a [Script] to answer each request.
final class FileServer implements Closeable {
  static final String TAG = "\"v1\"";

  /// Answers one request.
  interface Script {
    void answer(HttpExchange exchange) throws IOException;
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Headers> requests = new CopyOnWriteArrayList<>();

  FileServer(Script script) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          requests.add(exchange.getRequestHeaders());
          try (exchange) {
            script.answer(exchange);
          }
        });
    server.start();
  }

  String authority() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  FileUrl url() {
    return FileUrl.parse("http://" + authority() + "/images/disk.img?signature=s3cret");
  }

  /// Returns one value of a header for each request. The value is empty if the request did not
  /// contain the header.
  List<String> seen(String header) {
    List<String> seen = new ArrayList<>();
    for (Headers request : requests) {
      String value = request.getFirst(header);
      seen.add(value == null ? "" : value);
    }
    return seen;
  }

  /// Returns settings that permit all given servers and give credentials only to `first`.
  static DownloadAccess access(int retries, FileServer first, FileServer... others) {
    List<String> hosts = new ArrayList<>(List.of(first.authority()));
    for (FileServer other : others) {
      hosts.add(other.authority());
      hosts.add(other.authority().replace("127.0.0.1", "localhost"));
    }
    HttpOptions http =
        new HttpOptions(
            Optional.empty(),
            new InsecureHosts(Set.copyOf(hosts)),
            "INSECURE_HOSTS",
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Map.of());
    return new DownloadAccess(
        http,
        new HostList(hosts),
        new HostList(List.of()),
        "ALLOWED_HOSTS",
        List.of(first.url()),
        Map.of("Authorization", "Bearer s3cret", "X-Key", "s3cret"),
        Optional.of(first.url()),
        retries);
  }

  /// Returns the offset of the requested range, or 0 without a range.
  static int offset(HttpExchange exchange) {
    String range = exchange.getRequestHeaders().getFirst("Range");
    return range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
  }

  /// Serves a file, or the requested range of the file, and closes the connection at `end`.
  ///
  /// @param tag the `ETag` of this version, to which `If-Range` is compared
  /// @param end offset of the first byte that is not sent
  static void file(HttpExchange exchange, byte[] content, String tag, int end) {
    int offset = offset(exchange);
    String condition = exchange.getRequestHeaders().getFirst("If-Range");
    boolean part = offset > 0 && (condition == null || condition.equals(tag));
    int begin = part ? offset : 0;
    exchange.getResponseHeaders().set("ETag", tag);
    exchange.getResponseHeaders().set("Accept-Ranges", "bytes");
    if (part) {
      exchange
          .getResponseHeaders()
          .set(
              "Content-Range",
              "bytes " + begin + "-" + (content.length - 1) + "/" + content.length);
    }
    send(exchange, part ? 206 : 200, content, begin, end);
  }

  /// Sends a `Content-Length` for all bytes from `begin` on, but sends only the bytes before `end`.
  static void send(HttpExchange exchange, int status, byte[] content, int begin, int end) {
    try {
      exchange.sendResponseHeaders(
          status, content.length - begin == 0 ? -1 : content.length - begin);
      OutputStream out = exchange.getResponseBody();
      out.write(content, begin, Math.max(0, Math.min(end, content.length) - begin));
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
