package dev.pvcpopulators.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Checks that only the refusal AlreadyExists means that an object exists.
final class CreationTest {
  private final HttpServer server;

  CreationTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void takesAnObjectThatExists() {
    assertEquals(Optional.empty(), create(409, "AlreadyExists"));
  }

  /// The API server also answers Conflict if a quota changes during the request.
  @Test
  void throwsOtherConflicts() {
    assertEquals(
        409,
        assertThrows(KubernetesClientException.class, () -> create(409, "Conflict")).getCode());
  }

  private Optional<Secret> create(int code, String reason) {
    byte[] status =
        """
        {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": %d, "reason": "%s"}
        """
            .formatted(code, reason)
            .getBytes(UTF_8);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(code, status.length);
            exchange.getResponseBody().write(status);
          }
        });
    server.start();
    Secret secret =
        new SecretBuilder()
            .withNewMetadata()
            .withNamespace("default")
            .withName("one")
            .endMetadata()
            .build();
    try (KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(io.fabric8.kubernetes.client.Config.empty())
                    .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                    .build())
            .build()) {
      return Creation.of(client.resource(secret));
    }
  }
}
