package dev.pvcpopulators.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.RegistrySource;
import dev.pvcpopulators.operator.child.JobSettings;
import dev.pvcpopulators.operator.child.StreamChildren;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.stream.StreamStep;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Checks the requests for a stream, its Secret and its cache. In some tests, the API server has
/// newer objects than those in the plan.
final class StreamActTest {
  private static final String CACHE = "/api/v1/namespaces/vms/persistentvolumeclaims";
  private static final String STREAM =
      "/apis/pvcpopulators.dev/v1alpha1/namespaces/vms/dynamicvolumes";
  private static final String SECRET = "/api/v1/namespaces/vms/secrets";
  private static final String EXISTS =
      "{\"kind\": \"Status\", \"code\": 409, \"reason\": \"AlreadyExists\"}";
  private static final StorageClass CLASS = new StorageClassBuilder().build();
  private static final Quantity SIZE = new Quantity("16Mi");

  private final StreamChildren children =
      new StreamChildren(
          new JobSettings("localhost", "1", "Never", Optional.empty(), Map.of()),
          new Tokens(new byte[32]));
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private @Nullable PersistentVolumeClaim stored;
  private boolean streamExists;

  StreamActTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /// Answers like an API server. The server has no Secret, but it has the cache `stored`, and the
  /// stream if `streamExists`. The server answers a POST with 409 if the POST would create a stream
  /// that exists, and any other POST with 201.
  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] sent = exchange.getRequestBody().readAllBytes();
      String method = exchange.getRequestMethod();
      String path = exchange.getRequestURI().getPath();
      requests.add(method + " " + path);
      Object there =
          path.startsWith(CACHE)
              ? stored
              : streamExists && path.startsWith(STREAM) ? stream("s1") : null;
      boolean found = method.equals("GET") && there != null;
      boolean exists = method.equals("POST") && there instanceof DynamicVolume;
      int code = found ? 200 : exists ? 409 : method.equals("POST") ? 201 : 404;
      byte[] body =
          found
              ? Serialization.asJson(there).getBytes(UTF_8)
              : exists ? EXISTS.getBytes(UTF_8) : sent;
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(code, code == 404 ? -1 : body.length);
      if (code != 404) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private static DynamicVolume stream(String uid) {
    DynamicVolume stream = new DynamicVolume();
    stream.setMetadata(
        new ObjectMetaBuilder().withNamespace("vms").withName("stream-1").withUid(uid).build());
    return stream;
  }

  private void create(DynamicVolume stream) {
    perform(new StreamStep.CreateChildren(stream, SIZE, true, CLASS));
  }

  private boolean perform(StreamStep step) {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      PersistentVolumeClaim claim = new PersistentVolumeClaim();
      claim.setMetadata(new ObjectMetaBuilder().withNamespace("vms").withName("vm1").build());
      return new StreamAct(client, children).perform(step, claim);
    }
  }

  private static StreamStep begin() {
    DiskImage image = new DiskImage();
    image.getMetadata().setName("fedora");
    image.setSpec(
        new DiskImageSpec(
            new RegistrySource("quay.io/containerdisks/fedora:41", null, null, null, null, null),
            null,
            null,
            null,
            null,
            null,
            null,
            null));
    return new StreamStep.CreateStream("stream-1", image, "write-exclusive");
  }

  @Test
  void createsTheStream() {
    assertFalse(perform(begin()));
    assertEquals(List.of("GET " + CACHE + "/stream-1-cache", "POST " + STREAM), requests);
  }

  /// The operator must wait until the old cache is deleted. Otherwise a pod of the new stream could
  /// use the old cache and prevent its deletion.
  @Test
  void waitsForTheEndOfTheCacheOfAnEarlierStream() {
    PersistentVolumeClaim left = StreamChildren.cache(stream("s0"), SIZE, true, CLASS);
    left.getMetadata().setResourceVersion("7");
    stored = left;
    assertTrue(perform(begin()));
    List<String> deletes =
        List.of(
            "GET " + CACHE + "/stream-1-cache",
            "GET " + STREAM + "/stream-1",
            "DELETE " + CACHE + "/stream-1-cache");
    assertEquals(deletes, requests);
    requests.clear();
    left.getMetadata().setDeletionTimestamp("2026-11-26T00:00:00Z");
    assertTrue(perform(begin()));
    assertEquals(deletes.subList(0, 2), requests);
  }

  /// The operator created the stream for another claim, but the watch has not reported the stream
  /// yet.
  @Test
  void keepsTheCacheOfAStreamThatExists() {
    stored = StreamChildren.cache(stream("s1"), SIZE, true, CLASS);
    streamExists = true;
    assertTrue(perform(begin()), "no event of the stream reaches a claim that is not its owner");
    assertFalse(requests.contains("DELETE " + CACHE + "/stream-1-cache"), requests::toString);
  }

  private static List<String> all() {
    return List.of(
        "GET " + CACHE + "/stream-1-cache",
        "DELETE " + SECRET + "/stream-1-chap",
        "POST " + SECRET,
        "POST " + CACHE);
  }

  @Test
  void createsTheCacheLast() {
    create(stream("s1"));
    assertEquals(all(), requests);
  }

  /// If the cache of the stream exists, the operator keeps the Secret. To replace a Secret, the
  /// operator deletes it before it creates the new one, so a crash in between would leave no
  /// Secret.
  @Test
  void keepsTheSecretOfACacheThatExists() {
    stored = StreamChildren.cache(stream("s1"), SIZE, true, CLASS);
    assertTrue(
        perform(new StreamStep.CreateChildren(stream("s1"), SIZE, true, CLASS)),
        "no event of the cache reaches the claim");
    assertEquals(List.of("GET " + CACHE + "/stream-1-cache"), requests);
  }

  @Test
  void replacesTheSecretOfAnEarlierStream() {
    stored = StreamChildren.cache(stream("s0"), SIZE, true, CLASS);
    create(stream("s1"));
    assertEquals(all(), requests);
  }
}
