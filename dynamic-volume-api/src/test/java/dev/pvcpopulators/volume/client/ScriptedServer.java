package dev.pvcpopulators.volume.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// An HTTP server with scripted answers, based on the JDK's `HttpServer`. The server sends one
/// answer for each request, in the order of the script. After the end of the script, the server
/// repeats the last answer.
final class ScriptedServer implements AutoCloseable {
  record Seen(String line, String prefer, String ifMatch, String authorization, String body) {}

  private final HttpServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final LinkedBlockingQueue<HttpHandler> answers = new LinkedBlockingQueue<>();
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final String scheme;

  private ScriptedServer(HttpServer server, String scheme, HttpHandler... answers) {
    this.server = server;
    this.scheme = scheme;
    this.answers.addAll(List.of(answers));
    server.createContext("/", this::answer);
    server.setExecutor(executor);
    server.start();
  }

  static ScriptedServer answering(HttpHandler... answers) throws IOException {
    return new ScriptedServer(HttpServer.create(anyPort(), 0), "http", answers);
  }

  static ScriptedServer tls(SSLContext keys, HttpHandler... answers) throws IOException {
    HttpsServer server = HttpsServer.create(anyPort(), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(keys));
    return new ScriptedServer(server, "https", answers);
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
  }

  static HttpHandler says(int status, String type, String body) {
    return exchange -> {
      byte[] bytes = body.getBytes(UTF_8);
      if (!type.isEmpty()) {
        exchange.getResponseHeaders().set("Content-Type", type);
      }
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      if (bytes.length > 0) {
        exchange.getResponseBody().write(bytes);
      }
      exchange.close();
    };
  }

  URI uri() {
    return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
  }

  Endpoint endpoint() {
    return Endpoint.of(uri());
  }

  List<Seen> seen() {
    return List.copyOf(seen);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      seen.add(
          new Seen(
              exchange.getRequestMethod() + " " + exchange.getRequestURI(),
              field(exchange, "Prefer"),
              field(exchange, "If-Match"),
              field(exchange, "Authorization"),
              new String(exchange.getRequestBody().readAllBytes(), UTF_8)));
      HttpHandler next = answers.size() > 1 ? answers.remove() : answers.element();
      next.handle(exchange);
    }
  }

  private static String field(HttpExchange exchange, String name) {
    @Nullable String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
