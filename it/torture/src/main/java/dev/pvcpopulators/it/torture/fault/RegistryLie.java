package dev.pvcpopulators.it.torture.fault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.LyingRegistry.Lie;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// A fault of the registry: the registry answers some requests with errors or with wrong data.
/// Wrong answers for manifests begin at [#arm]. Wrong answers for blobs begin at the round's
/// moment, and in some rounds already at [#arm]. At the round's moment, every kind except
/// [Kind#WRONG_SIZES] also cuts the connection, so that the service sends a new request for a blob.
public final class RegistryLie implements Fault {
  private static final int MOST_TIMES = 8;
  private static final int MOST_MORE = 1 << 16;

  private final Kind kind;
  private final LyingRegistry registry;

  enum Kind {
    /// Answers with 401, 403, 404, 429 or 5xx; some answers have `Retry-After`.
    REGISTRY_ERROR,
    /// Changes one byte at a random offset in the requested part of the blob.
    WRONG_BYTE,
    /// Sends fewer bytes than announced.
    SHORT_BODY,
    /// Sends more bytes than the manifest states.
    LONG_BODY,
    /// Answers with 206 and a range that differs from the requested range.
    OTHER_RANGE,
    /// Answers a range request with 200 and the whole content, which HTTP allows.
    NO_RANGE,
    /// Redirects to the same URL.
    REDIRECT_LOOP,
    /// Sends a manifest with wrong sizes.
    WRONG_SIZES
  }

  private RegistryLie(Kind kind, LyingRegistry registry) {
    this.kind = kind;
    this.registry = registry;
  }

  /// Returns one fault of each kind, for the subject that uses this registry.
  public static List<Fault> all(LyingRegistry registry) {
    return Arrays.stream(Kind.values())
        .map(kind -> (Fault) new RegistryLie(kind, registry))
        .toList();
  }

  @Override
  public String name() {
    return kind.name();
  }

  @Override
  public void arm(FaultContext scene) {
    boolean ofManifests =
        kind == Kind.WRONG_SIZES || (kind == Kind.REGISTRY_ERROR && scene.random().nextBoolean());
    if (ofManifests) {
      registry.manifests(scene.random().nextInt(1, MOST_TIMES), lie(scene.random()));
    } else if (scene.random().nextBoolean()) {
      registry.blobs(times(scene.random()), lie(scene.random()));
    }
  }

  @Override
  public void strike(FaultContext scene) {
    if (kind != Kind.WRONG_SIZES) {
      registry.blobs(times(scene.random()), lie(scene.random()));
      scene.wire().cut(Valve.Cut.RESET, 0);
    }
    scene.wire().open();
  }

  private static int times(SplittableRandom random) {
    return random.nextInt(1, MOST_TIMES);
  }

  private Lie lie(SplittableRandom random) {
    return switch (kind) {
      case REGISTRY_ERROR -> error(random);
      case WRONG_BYTE -> wrongByte(random.nextDouble());
      case SHORT_BODY -> partly(random.nextDouble());
      case LONG_BODY -> tooMuch(random.nextInt(1, MOST_MORE));
      case OTHER_RANGE -> otherRange(random.nextInt(1, MOST_MORE));
      case NO_RANGE -> exchange -> send(exchange, 200, registry.wanted(exchange).all());
      case REDIRECT_LOOP ->
          exchange ->
              LyingRegistry.status(307, "Location", exchange.getRequestURI().getPath())
                  .answer(exchange);
      case WRONG_SIZES -> wrongSizes(random.nextInt(-MOST_MORE, MOST_MORE));
    };
  }

  private static Lie error(SplittableRandom random) {
    int[] statuses = {401, 403, 404, 429, 500, 502, 503};
    int status = statuses[random.nextInt(statuses.length)];
    return random.nextBoolean()
        ? LyingRegistry.status(status)
        : LyingRegistry.status(status, "Retry-After", Integer.toString(random.nextInt(2)));
  }

  private Lie wrongByte(double where) {
    return exchange -> {
      byte[] rest = registry.wanted(exchange).rest();
      if (rest.length > 0) {
        rest[(int) (where * rest.length)] ^= 1;
      }
      sendRest(exchange, rest);
    };
  }

  private Lie partly(double fraction) {
    return exchange -> {
      byte[] rest = registry.wanted(exchange).rest();
      range(exchange);
      exchange.sendResponseHeaders(status(exchange), rest.length);
      exchange.getResponseBody().write(rest, 0, (int) (fraction * rest.length));
      exchange.getResponseBody().flush();
      // The body ends before its announced length, so the server closes the connection.
    };
  }

  private Lie tooMuch(int more) {
    return exchange -> {
      byte[] rest = registry.wanted(exchange).rest();
      sendRest(exchange, Arrays.copyOf(rest, rest.length + more));
    };
  }

  private Lie otherRange(int shift) {
    return exchange -> {
      LyingRegistry.Wanted wanted = registry.wanted(exchange);
      byte[] all = wanted.all();
      int from = Math.floorMod((int) wanted.from() - shift, all.length);
      exchange
          .getResponseHeaders()
          .set("Content-Range", "bytes " + from + "-" + (all.length - 1) + "/" + all.length);
      send(exchange, 206, Arrays.copyOfRange(all, from, all.length));
    };
  }

  private Lie wrongSizes(int difference) {
    return exchange -> {
      LyingRegistry.Wanted wanted = registry.wanted(exchange);
      JsonNode manifest = Json.file(wanted.file());
      for (JsonNode layer : manifest.path("layers")) {
        ObjectNode descriptor = (ObjectNode) layer;
        descriptor.put("size", Math.max(0, descriptor.path("size").asLong() + difference));
      }
      exchange.getResponseHeaders().set("Content-Type", manifest.path("mediaType").asText());
      send(exchange, 200, manifest.toString().getBytes(StandardCharsets.UTF_8));
    };
  }

  private void sendRest(HttpExchange exchange, byte[] bytes) throws IOException {
    range(exchange);
    send(exchange, status(exchange), bytes);
  }

  private void range(HttpExchange exchange) throws IOException {
    LyingRegistry.Wanted wanted = registry.wanted(exchange);
    if (wanted.ranged()) {
      long length = Files.size(wanted.file());
      exchange
          .getResponseHeaders()
          .set("Content-Range", "bytes " + wanted.from() + "-" + (length - 1) + "/" + length);
    }
  }

  private int status(HttpExchange exchange) {
    return registry.wanted(exchange).ranged() ? 206 : 200;
  }

  private static void send(HttpExchange exchange, int status, byte[] bytes) throws IOException {
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  @Override
  public void heal(FaultContext scene) {
    registry.honest();
    scene.wire().open();
  }
}
