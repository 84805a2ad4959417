package dev.pvcpopulators.it.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A registry that serves the content of an image layout under any repository name. A test can make
/// the registry send wrong answers.
public final class LyingRegistry implements AutoCloseable {
  /// A wrong answer to one request.
  public interface Lie {
    void answer(HttpExchange exchange) throws IOException;
  }

  /// A request of a client.
  ///
  /// @param name the tag or digest
  /// @param range the field `Range`; empty if the request has none
  /// @param authorization the field `Authorization`; empty if the request has no credentials
  public record Asked(String method, String name, String range, String authorization) {}

  private static final Pattern PATH = Pattern.compile("/v2/.+/(?:manifests|blobs)/([^/]+)");
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-");
  private static final int BLOCK = 64 << 10;

  private final HttpServer server;
  private final ImageLayout layout;
  private final Map<String, Lie> lies = new ConcurrentHashMap<>();
  private final Queue<Lie> ofBlobs = new ConcurrentLinkedQueue<>();
  private final Queue<Lie> ofManifests = new ConcurrentLinkedQueue<>();
  private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  private LyingRegistry(HttpServer server, ImageLayout layout) {
    this.server = server;
    this.layout = layout;
  }

  public static LyingRegistry of(ImageLayout layout) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    LyingRegistry registry = new LyingRegistry(server, layout);
    server.createContext("/", registry::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
    return registry;
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /// Returns `127.0.0.1:PORT`.
  public String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  /// Returns `docker://127.0.0.1:PORT/disks/lies:TAG`.
  public String image(String tag) {
    return "docker://" + address() + "/disks/lies:" + tag;
  }

  /// Sets a wrong answer for all requests for the given tag or digest.
  public LyingRegistry lies(String name, Lie lie) {
    lies.put(name, lie);
    return this;
  }

  /// Sets a wrong answer for the next `times` requests for the given tag or digest; later requests
  /// get the right answer.
  public LyingRegistry lies(String name, int times, Lie lie) {
    Queue<Lie> left = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < times; i++) {
      left.add(lie);
    }
    return lies(
        name,
        exchange -> {
          Lie next = left.poll();
          if (next == null) {
            truth(exchange, name);
          } else {
            next.answer(exchange);
          }
        });
  }

  /// Sets a wrong answer for the next `times` requests for any blob.
  public void blobs(int times, Lie lie) {
    ofBlobs.addAll(Collections.nCopies(times, lie));
  }

  /// Sets a wrong answer for the next `times` requests for any manifest.
  public void manifests(int times, Lie lie) {
    ofManifests.addAll(Collections.nCopies(times, lie));
  }

  /// Removes the wrong answers that [#blobs] and [#manifests] have set. The wrong answers of
  /// [#lies] remain.
  public void honest() {
    ofBlobs.clear();
    ofManifests.clear();
  }

  /// Returns the requests for a tag or digest.
  public List<Asked> asked(String name) {
    return asked.stream().filter(one -> one.name().equals(name)).toList();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
      if (!path.matches()) {
        exchange.sendResponseHeaders(
            exchange.getRequestURI().getPath().equals("/v2/") ? 200 : 404, -1);
        return;
      }
      String name = path.group(1);
      asked.add(
          new Asked(
              exchange.getRequestMethod(),
              name,
              field(exchange, "Range"),
              field(exchange, "Authorization")));
      Lie next = (isManifest(exchange) ? ofManifests : ofBlobs).poll();
      Lie lie = next == null ? lies.get(name) : next;
      if (lie == null) {
        truth(exchange, name);
      } else {
        lie.answer(exchange);
      }
    }
  }

  private static boolean isManifest(HttpExchange exchange) {
    return exchange.getRequestURI().getPath().contains("/manifests/");
  }

  /// The requested part of a file.
  ///
  /// @param from the offset of the first requested byte
  /// @param ranged whether the request has a field `Range` of the form `bytes=N-`
  public record Wanted(Path file, long from, boolean ranged) {
    public byte[] all() throws IOException {
      return Files.readAllBytes(file);
    }

    /// Returns all bytes from the first requested byte to the end of the file.
    public byte[] rest() throws IOException {
      byte[] all = all();
      return Arrays.copyOfRange(all, (int) Math.min(from, all.length), all.length);
    }
  }

  /// Returns the requested part of a file, from which a test can make a wrong answer.
  public Wanted wanted(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    String name = path.substring(path.lastIndexOf('/') + 1);
    Content content = name.startsWith("sha256:") ? Content.of("", name, 0) : layout.tagged(name);
    Matcher range = RANGE.matcher(field(exchange, "Range"));
    boolean ranged = range.matches();
    return new Wanted(layout.path(content), ranged ? Long.parseLong(range.group(1)) : 0, ranged);
  }

  private static String field(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  /// Sends the right answer, or 404 if the layout has no blob with the requested digest.
  ///
  /// @param name the requested tag or digest
  public void truth(HttpExchange exchange, String name) throws IOException {
    Content content = name.startsWith("sha256:") ? Content.of("", name, 0) : layout.tagged(name);
    Path file = layout.path(content);
    if (!Files.exists(file)) {
      exchange.sendResponseHeaders(404, -1);
      return;
    }
    exchange.getResponseHeaders().set("Docker-Content-Digest", content.digest());
    exchange
        .getResponseHeaders()
        .set("Content-Type", isManifest(exchange) ? mediaType(file) : "application/octet-stream");
    long length = Files.size(file);
    Matcher range = RANGE.matcher(field(exchange, "Range"));
    long from = range.matches() ? Long.parseLong(range.group(1)) : 0;
    if (from >= length) {
      exchange.sendResponseHeaders(416, -1);
      return;
    }
    if (range.matches()) {
      exchange
          .getResponseHeaders()
          .set("Content-Range", "bytes " + from + "-" + (length - 1) + "/" + length);
    }
    exchange.sendResponseHeaders(range.matches() ? 206 : 200, length - from);
    try (InputStream in = Files.newInputStream(file);
        OutputStream out = exchange.getResponseBody()) {
      in.skipNBytes(from);
      in.transferTo(out);
    }
  }

  private static String mediaType(Path manifest) throws IOException {
    return Json.file(manifest).path("mediaType").asText();
  }

  /// Returns an answer with this status and these header fields, without a body.
  ///
  /// @param fields alternating names and values
  public static Lie status(int status, String... fields) {
    return exchange -> {
      for (int i = 0; i < fields.length; i += 2) {
        exchange.getResponseHeaders().set(fields[i], fields[i + 1]);
      }
      exchange.sendResponseHeaders(status, -1);
    };
  }

  /// Returns an answer that sends `lie` if the request has these credentials, and otherwise 401.
  ///
  /// @param credentials `USER:PASSWORD`
  public static Lie behind(String credentials, Lie lie) {
    String expected = "Basic " + Base64.getEncoder().encodeToString(text(credentials));
    return exchange -> {
      if (field(exchange, "Authorization").equals(expected)) {
        lie.answer(exchange);
      } else {
        status(401, "WWW-Authenticate", "Basic realm=\"disks\"").answer(exchange);
      }
    };
  }

  /// Returns an answer with status 200 and these bytes.
  public static Lie bytes(String mediaType, byte[] bytes) {
    return exchange -> {
      exchange.getResponseHeaders().set("Content-Type", mediaType);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  /// Returns an answer that sends `first`, and then repeats `block`. The answer ends when the
  /// repeated blocks have at least `length` bytes, or when the client disconnects. The answer uses
  /// the chunked transfer coding.
  public static Lie repeating(String mediaType, byte[] first, byte[] block, long length) {
    return exchange -> {
      exchange.getResponseHeaders().set("Content-Type", mediaType);
      exchange.sendResponseHeaders(200, 0);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(first);
        for (long sent = 0; sent < length; sent += block.length) {
          out.write(block);
        }
      }
    };
  }

  /// Returns an answer that announces the length of the whole file, sends the first `length` bytes
  /// of the file, and closes the connection.
  public static Lie broken(Path file, long length) {
    return exchange -> {
      exchange.sendResponseHeaders(200, Files.size(file));
      send(exchange, file, length);
    };
  }

  /// Returns an answer that announces the length of the whole file, sends the first `length` bytes
  /// of the file, and keeps the connection open until [#close].
  public Lie stalled(Path file, long length) {
    return exchange -> {
      exchange.sendResponseHeaders(200, Files.size(file));
      send(exchange, file, length);
      exchange.getResponseBody().flush();
      try {
        closed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    };
  }

  private static void send(HttpExchange exchange, Path file, long length) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] block = new byte[BLOCK];
      OutputStream out = exchange.getResponseBody();
      for (long left = length; left > 0; ) {
        int read = in.read(block, 0, (int) Math.min(left, block.length));
        if (read < 0) {
          return;
        }
        out.write(block, 0, read);
        left -= read;
      }
    }
  }

  public static byte[] text(String text) {
    return text.getBytes(UTF_8);
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
  }
}
