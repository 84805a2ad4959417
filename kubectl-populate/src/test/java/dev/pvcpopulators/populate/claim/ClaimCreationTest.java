package dev.pvcpopulators.populate.claim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Tests the second run of a command whose first run was interrupted. The first run created the
/// DiskImage and the claim. The second run makes the claim an owner of the DiskImage, but does not
/// change objects that a user created.
final class ClaimCreationTest {
  private static final ClaimRequest REQUEST =
      new ClaimRequest(
          "disks",
          "vm1",
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          false,
          Optional.empty());

  private final List<String> patches = new CopyOnWriteArrayList<>();
  private final PersistentVolumeClaim claim = REQUEST.newClaim(new Quantity("1Gi"));
  private final DiskImage image = REQUEST.newImage();
  private final HttpServer server;

  ClaimCreationTest() throws IOException {
    claim.getMetadata().setUid("u1");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /// Answers every request with the claim or its DiskImage.
  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String sent = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      if (!exchange.getRequestMethod().equals("GET")) {
        patches.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + sent);
      }
      Object there =
          exchange.getRequestURI().getPath().endsWith("/persistentvolumeclaims/vm1")
              ? claim
              : image;
      byte[] body = Serialization.asJson(there).getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private void repeat() throws VolumeException {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      new ClaimCreation(client, REQUEST, _ -> {}).run(() -> new Quantity("1Gi"));
    }
  }

  @Test
  void aRepetitionMakesTheClaimAnOwnerOfItsDiskImage() throws VolumeException {
    repeat();
    assertEquals(1, patches.size(), patches::toString);
    String patch = patches.getFirst();
    assertTrue(patch.contains("/diskimages/vm1 ") && patch.contains("\"u1\""), patch);
  }

  @Test
  void objectsOfUsersAreNotChanged() throws VolumeException {
    image.getMetadata().getLabels().clear();
    repeat();
    image.getMetadata().setLabels(claim.getMetadata().getLabels());
    claim.getMetadata().setLabels(null);
    repeat();
    assertEquals(List.of(), patches);
  }
}
