package dev.pvcpopulators.registrystreamiscsi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import io.smallrye.config.SmallRyeConfigBuilder;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which LUNs show the same copy of an image, and whose bytes that copy has.
final class ImageCacheTest {
  private static final int MINUTES = 5;

  @TempDir Path work;
  private Registry genuine;
  private Registry other;
  private VolumeImages images;
  private RegistryStreamIscsiSettings settings;

  /// A registry that has one image in every repository.
  private final class Registry implements AutoCloseable {
    private final HttpServer server;
    private final List<String> pulled = new CopyOnWriteArrayList<>();
    private final Set<String> without = ConcurrentHashMap.newKeySet();
    private volatile CountDownLatch held = new CountDownLatch(0);
    private volatile boolean tampers;

    Registry() throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.createContext("/v2/", this::answer);
      server.start();
    }

    String address() {
      return "127.0.0.1:" + server.getAddress().getPort();
    }

    String image(String repository) {
      return address() + "/" + repository + ":latest";
    }

    private void answer(HttpExchange exchange) throws IOException {
      try (exchange) {
        String path = exchange.getRequestURI().getPath();
        String name = path.substring(path.lastIndexOf('/') + 1);
        boolean layer = path.contains("/blobs/") && name.endsWith(layer());
        if (layer && without.stream().anyMatch(path::contains)) {
          exchange.sendResponseHeaders(404, -1);
          return;
        }
        Path file = blobs().resolve(path.contains("/manifests/") ? manifest() : name.substring(7));
        byte[] bytes = Files.readAllBytes(file);
        if (path.contains("/manifests/")) {
          exchange
              .getResponseHeaders()
              .set("Content-Type", "application/vnd.oci.image.manifest.v1+json");
        }
        if (exchange.getRequestMethod().equals("HEAD")) {
          exchange.getResponseHeaders().set("Content-Length", Integer.toString(bytes.length));
          exchange.sendResponseHeaders(200, -1);
          return;
        }
        if (layer) {
          pulled.add(path);
          if (tampers) {
            bytes[bytes.length - 6] ^= 1;
          }
        }
        exchange.sendResponseHeaders(200, bytes.length);
        int first = layer ? bytes.length / 2 : bytes.length;
        exchange.getResponseBody().write(bytes, 0, first);
        exchange.getResponseBody().flush();
        if (layer) {
          held.await();
        }
        exchange.getResponseBody().write(bytes, first, bytes.length - first);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      held.countDown();
      server.stop(0);
    }
  }

  private Path blobs() {
    return work.resolve("layout/blobs/sha256");
  }

  private String layer() throws IOException {
    try (Stream<Path> all = Files.list(blobs())) {
      return all.max(Comparator.comparingLong(it -> it.toFile().length()))
          .orElseThrow()
          .getFileName()
          .toString();
    }
  }

  private String manifest() throws IOException {
    String index = Files.readString(work.resolve("layout/index.json"));
    return index.replaceFirst("(?s).*?sha256:([0-9a-f]{64}).*", "$1");
  }

  @BeforeEach
  void begin() throws IOException, InterruptedException {
    Path it = Path.of("").toAbsolutePath().resolveSibling("it");
    Process made =
        new ProcessBuilder(
                it.resolve("oci-layout.sh").toString(),
                it.resolve("fixtures/demo.qcow2").toString(),
                work.resolve("layout").toString())
            .inheritIO()
            .start();
    assertEquals(0, made.waitFor(), "it/oci-layout.sh");
    genuine = new Registry();
    other = new Registry();
    settings =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(RegistryStreamIscsiSettings.class)
            .withDefaultValue(
                "registry-stream-iscsi.insecure-registries",
                genuine.address() + "," + other.address())
            .build()
            .getConfigMapping(RegistryStreamIscsiSettings.class);
    ImagePull.Environment environment =
        new ImagePull.Environment(
            new RegistryAccess(settings, "REGISTRY_STREAM_ISCSI_"),
            new Semaphore(16),
            new Semaphore(settings.maxPulls()),
            1L << 40,
            _ -> {},
            _ -> {},
            _ -> {});
    images =
        new VolumeImages(
            settings, environment, new ImageCache(work.resolve("images"), environment), false);
  }

  @AfterEach
  void end() {
    genuine.close();
    other.close();
    images.cancel();
    images.close();
  }

  private CachedImage obtain(String image) throws IOException, VolumeException {
    LunRequest request =
        LunRequest.of(
            settings, new VolumeRequest(JsonNodeFactory.instance.objectNode().put("image", image)));
    return images.obtain(request);
  }

  private static void awaitComplete(CachedImage image)
      throws InterruptedException, ExecutionException, TimeoutException {
    var _ = image.completed().get(MINUTES, TimeUnit.MINUTES);
  }

  @Test
  void anUnfinishedPullIsForItsOwnRegistryOnly() throws Exception {
    other.tampers = true;
    other.held = new CountDownLatch(1);
    CachedImage tampered = obtain(other.image("vms/disk"));
    CachedImage trusted = obtain(genuine.image("vms/disk"));
    assertNotSame(tampered, trusted);
    awaitComplete(trusted);
    assertEquals(1, genuine.pulled.size());
    other.held.countDown();
    assertThrows(ExecutionException.class, () -> awaitComplete(tampered));
    assertEquals(CachedImage.State.COMPLETE, trusted.state());
    other.tampers = false;
    awaitComplete(obtain(other.image("vms/disk")));
  }

  @Test
  void anUnfinishedPullIsForItsOwnRepositoryOnly() throws Exception {
    genuine.held = new CountDownLatch(1);
    CachedImage one = obtain(genuine.image("one/disk"));
    assertSame(one, obtain(genuine.image("one/disk")));
    assertNotSame(one, obtain(genuine.image("two/disk")));
  }

  @Test
  void aCompleteImageIsForWhoMayReadItsLayers() throws Exception {
    CachedImage one = obtain(genuine.image("one/disk"));
    awaitComplete(one);
    assertSame(one, obtain(genuine.image("two/disk")));
    assertEquals(1, genuine.pulled.size());
    genuine.without.add("/thief/");
    assertNotSame(one, obtain(genuine.image("thief/disk")));
  }

  /// As many as may run at once are held in the midst of their layers.
  @Test
  void anImageOpensWhileOthersArePulled() throws Exception {
    other.held = new CountDownLatch(1);
    for (int i = 0; i < settings.maxPulls(); i++) {
      var _ = obtain(other.image("slow/disk-" + i)).opened().get(MINUTES, TimeUnit.MINUTES);
    }
    CachedImage quick = obtain(genuine.image("quick/disk"));
    var _ = quick.opened().get(MINUTES, TimeUnit.MINUTES);
    assertEquals(CachedImage.State.PULLING, quick.state());
    other.held.countDown();
    awaitComplete(quick);
  }

  /// It can say of any blob that it has it.
  @Test
  void anotherRegistryConfirmsNothing() throws Exception {
    CachedImage one = obtain(genuine.image("one/disk"));
    awaitComplete(one);
    CachedImage copy = obtain(other.image("one/disk"));
    assertNotSame(one, copy);
    awaitComplete(copy);
    assertEquals(1, other.pulled.size());
  }
}
