package dev.pvcpopulators.registrystreamiscsi.image;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/// A registry that serves one image from every repository, and can hold back the end of the layer.
public final class HeldRegistry implements AutoCloseable {
  private static final int BLOCK = 64 << 10;

  private final Path blobs;
  private final String manifest;
  private final String layer;
  private final HttpServer server;
  private final List<String> pulled = new CopyOnWriteArrayList<>();
  private final Set<String> without = ConcurrentHashMap.newKeySet();
  private final AtomicLong served = new AtomicLong();
  private volatile CountDownLatch held = new CountDownLatch(0);
  private volatile double holdAt = 0.5;
  private volatile boolean tampers;
  private volatile boolean broken;

  public HeldRegistry(Path layout) throws IOException {
    blobs = layout.resolve("blobs/sha256");
    manifest =
        Files.readString(layout.resolve("index.json"))
            .replaceFirst("(?s).*?sha256:([0-9a-f]{64}).*", "$1");
    try (Stream<Path> all = Files.list(blobs)) {
      layer =
          all.max(Comparator.comparingLong(it -> it.toFile().length()))
              .orElseThrow()
              .getFileName()
              .toString();
    }
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/v2/", this::answer);
    server.start();
  }

  public String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  public String image(String repository) {
    return address() + "/" + repository + ":latest";
  }

  long layerSize() throws IOException {
    return Files.size(blobs.resolve(layer));
  }

  /// Returns the paths of the requests for the layer.
  List<String> pulled() {
    return pulled;
  }

  /// Returns the number of sent bytes of the layer.
  long served() {
    return served.get();
  }

  /// Holds back the second half of the layer.
  public void hold() {
    hold(0.5);
  }

  /// Holds back the end of the layer.
  ///
  /// @param fraction part of the layer that is sent, 0 to 1
  void hold(double fraction) {
    holdAt = fraction;
    held = new CountDownLatch(1);
  }

  public void release() {
    held.countDown();
  }

  /// Sets whether the registry sends wrong bytes of the layer.
  void tampers(boolean on) {
    tampers = on;
  }

  /// If `on` is true, requests for the layer fail and held responses end early.
  void breaks(boolean on) {
    broken = on;
  }

  /// Answers requests for the layer with 404 if their path contains the given text.
  void without(String path) {
    without.add(path);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      String name = path.substring(path.lastIndexOf('/') + 1);
      boolean ofLayer = path.contains("/blobs/") && name.endsWith(layer);
      if (ofLayer && (broken || without.stream().anyMatch(path::contains))) {
        exchange.sendResponseHeaders(broken ? 503 : 404, -1);
        return;
      }
      byte[] bytes =
          Files.readAllBytes(
              blobs.resolve(path.contains("/manifests/") ? manifest : name.substring(7)));
      if (path.contains("/manifests/")) {
        exchange
            .getResponseHeaders()
            .set("Content-Type", "application/vnd.oci.image.manifest.v1+json");
      }
      if (exchange.getRequestMethod().equals("HEAD")) {
        exchange.getResponseHeaders().set("Content-Length", Integer.toString(bytes.length));
        exchange.sendResponseHeaders(200, -1);
      } else if (ofLayer) {
        pulled.add(path);
        send(exchange, bytes);
      } else {
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(HttpExchange exchange, byte[] bytes) throws IOException, InterruptedException {
    if (tampers) {
      bytes[bytes.length - 6] ^= 1;
    }
    String range = exchange.getRequestHeaders().getFirst("Range");
    int from = range == null ? 0 : Integer.parseInt(range.replaceAll("bytes=([0-9]+)-.*", "$1"));
    if (range != null) {
      exchange
          .getResponseHeaders()
          .set("Content-Range", "bytes " + from + "-" + (bytes.length - 1) + "/" + bytes.length);
    }
    exchange.sendResponseHeaders(range == null ? 200 : 206, bytes.length - from);
    int hold = (int) (bytes.length * holdAt);
    for (int at = from; at < bytes.length; ) {
      int end = Math.min(bytes.length, at + BLOCK);
      if (at >= hold) {
        exchange.getResponseBody().flush();
        held.await();
        if (broken) {
          return;
        }
      } else {
        end = Math.min(end, hold);
      }
      exchange.getResponseBody().write(bytes, at, end - at);
      served.addAndGet(end - at);
      at = end;
    }
  }

  @Override
  public void close() {
    held.countDown();
    server.stop(0);
  }
}
