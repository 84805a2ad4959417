package dev.pvcpopulators.it.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pvcpopulators.it.cluster.ControlPlane;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A proxy that injects faults between an operator and the API server. A callback selects the fault
/// for each write.
final class FaultProxy implements AutoCloseable {
  /// A request that changes an object other than a Lease.
  ///
  /// @param namespace the namespace of the object, or of the claim in the `claimRef` of a volume;
  ///   may be empty
  /// @param resource the resource, such as `persistentvolumeclaims` or `diskpopulations/status`
  /// @param dryRun whether the API server only checks the request
  record Write(String method, String namespace, String resource, JsonNode body, boolean dryRun) {
    /// Returns whether the request creates an object of this resource.
    ///
    /// @param checkedOnly true if the request must be a dry run, false if it must not be a dry run
    boolean creates(String created, boolean checkedOnly) {
      return resource.equals(created) && method.equals("POST") && dryRun == checkedOnly;
    }

    /// Returns whether the request creates an object of this resource and is not a dry run.
    boolean creates(String created) {
      return creates(created, false);
    }

    /// Returns the status that the request writes to a DynamicVolume; a `MissingNode` of Jackson
    /// for other requests.
    JsonNode volumeStatus() {
      return resource.equals("dynamicvolumes/status") ? body.path("status") : JSON.missingNode();
    }

    @Override
    public String toString() {
      return method + " " + resource;
    }
  }

  /// The fault at a write.
  sealed interface Fault {
    /// Forwards the write without a fault.
    record None() implements Fault {}

    /// Runs an action and kills the operator. The API server does not receive the write.
    record KillBefore(Runnable action) implements Fault {}

    /// Forwards the write, runs an action, and kills the operator before the operator gets the
    /// answer.
    record KillAfter(Runnable action) implements Fault {}

    /// Answers 409 without forwarding the write.
    record Conflict() implements Fault {}

    /// Forwards the write, but answers 500. The operator then does not know the result.
    record LostAnswer() implements Fault {}

    /// Forwards the write, and runs an action before the operator receives the answer.
    record Then(Runnable action) implements Fault {}
  }

  /// Chooses the fault of each write.
  interface Faults {
    Fault at(Write write);
  }

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

  /// The path of a request: `/api/v1[/namespaces/NS]/RESOURCE[/NAME[/SUBRESOURCE]]`, or a path with
  /// `/apis/GROUP/VERSION` instead of `/api/v1`.
  private static final Pattern PATH =
      Pattern.compile(
          "/(?:api|apis/[^/]+)/[^/]+(?:/namespaces/([^/]+))?/([^/]+)(?:/[^/]+)?(?:/([^/]+))?");

  /// Header fields that the proxy does not forward, because they apply to one connection only.
  private static final Set<String> OF_CONNECTION =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "http2-settings",
          "transfer-encoding",
          "upgrade");

  private final String upstream;
  private final Faults faults;
  private final Runnable kill;
  private final HttpServer server;
  private final HttpClient client;
  private final Set<InputStream> answers = ConcurrentHashMap.newKeySet();

  private FaultProxy(ControlPlane plane, Faults faults, Runnable kill) throws IOException {
    this.upstream = plane.address();
    this.faults = faults;
    this.kill = kill;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(trusting(plane))
            .build();
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  /// Starts a proxy.
  ///
  /// @param kill kills the operator, and returns after its process has ended
  static FaultProxy start(ControlPlane plane, Faults faults, Runnable kill) throws IOException {
    return new FaultProxy(plane, faults, kill);
  }

  private static SSLContext trusting(ControlPlane plane) throws IOException {
    try (InputStream pem = Files.newInputStream(plane.certificate())) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      trusted.setCertificateEntry(
          "server", CertificateFactory.getInstance("X.509").generateCertificate(pem));
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  /// Returns `http://127.0.0.1:PORT`.
  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if ("websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Upgrade"))) {
        // The proxy refuses WebSockets. The client then watches with plain HTTP requests.
        exchange.sendResponseHeaders(200, -1);
        return;
      }
      byte[] body = exchange.getRequestBody().readAllBytes();
      Fault fault = write(exchange, body).map(faults::at).orElseGet(Fault.None::new);
      switch (fault) {
        case Fault.None _ -> relay(exchange, send(exchange, body));
        case Fault.KillBefore(Runnable action) -> {
          action.run();
          killed();
        }
        case Fault.KillAfter(Runnable action) -> {
          try (InputStream answer = send(exchange, body).body()) {
            answer.readAllBytes();
          }
          action.run();
          killed();
        }
        case Fault.Conflict _ -> refuse(exchange, 409, "Conflict");
        case Fault.LostAnswer _ -> {
          try (InputStream answer = send(exchange, body).body()) {
            answer.readAllBytes();
          }
          refuse(exchange, 500, "InternalError");
        }
        case Fault.Then then -> {
          HttpResponse<InputStream> response = send(exchange, body);
          then.action().run();
          relay(exchange, response);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static Optional<Write> write(HttpExchange exchange, byte[] body) throws IOException {
    Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
    if (READS.contains(exchange.getRequestMethod())
        || !path.matches()
        || path.group(2).equals("leases")) {
      return Optional.empty();
    }
    JsonNode document = body.length == 0 ? JSON.missingNode() : JSON.readTree(body);
    String namespace =
        path.group(1) != null
            ? path.group(1)
            : document.path("spec").path("claimRef").path("namespace").asText();
    String resource = path.group(2) + (path.group(3) == null ? "" : "/" + path.group(3));
    String query = exchange.getRequestURI().getQuery();
    boolean dryRun = query != null && query.contains("dryRun=");
    return Optional.of(
        new Write(exchange.getRequestMethod(), namespace, resource, document, dryRun));
  }

  private void killed() throws IOException {
    // This copy contains only answers to the current operator. After the kill, the set `answers`
    // may also contain answers to the next operator.
    List<InputStream> open = List.copyOf(answers);
    kill.run();
    // Without this close, an open watch lasts until its next event.
    for (InputStream answer : open) {
      answer.close();
    }
  }

  private HttpResponse<InputStream> send(HttpExchange exchange, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(upstream + exchange.getRequestURI()))
            .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body));
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> {
          if (!OF_CONNECTION.contains(name.toLowerCase(java.util.Locale.ROOT))) {
            values.forEach(value -> request.header(name, value));
          }
        });
    return client.send(request.build(), BodyHandlers.ofInputStream());
  }

  private void relay(HttpExchange exchange, HttpResponse<InputStream> response) throws IOException {
    InputStream answer = response.body();
    answers.add(answer);
    try (answer) {
      response
          .headers()
          .firstValue("Content-Type")
          .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
      exchange.sendResponseHeaders(response.statusCode(), 0);
      OutputStream out = exchange.getResponseBody();
      // The server sends the headers only at this flush. Without the flush, the client gets the
      // headers of a watch only with its first event.
      out.flush();
      byte[] block = new byte[16 << 10];
      for (int read = answer.read(block); read >= 0; read = answer.read(block)) {
        out.write(block, 0, read);
        out.flush();
      }
      out.close();
    } finally {
      answers.remove(answer);
    }
  }

  private static void refuse(HttpExchange exchange, int code, String reason) throws IOException {
    byte[] status =
        """
        {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": %d,
         "reason": "%s", "message": "refused by the proxy of a test"}
        """
            .formatted(code, reason)
            .getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, status.length);
    exchange.getResponseBody().write(status);
  }

  @Override
  public void close() {
    server.stop(0);
    client.shutdownNow();
  }
}
