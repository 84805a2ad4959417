package dev.pvcpopulators.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.dynamic.VolumeObserved;
import dev.pvcpopulators.operator.dynamic.VolumeReason;
import dev.pvcpopulators.operator.dynamic.VolumeReport;
import dev.pvcpopulators.operator.dynamic.VolumeStep;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Checks the dry run of a template, the report of a refused dry run, and the deletion of the
/// published claim.
final class VolumeActTest {
  private static final String DRY_RUN = "?dryRun=All&fieldValidation=Strict";

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<JsonNode> bodies = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private volatile int code = 201;

  VolumeActTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
      String sent = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      bodies.add(json(sent));
      String answer =
          code == 201
              ? sent
              : "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":%d,"
                      .formatted(code)
                  + "\"message\":\"no such labels\"}";
      byte[] body = answer.getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(code, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static JsonNode json(String text) {
    return Serialization.unmarshal(text, JsonNode.class);
  }

  private static DynamicVolume volume() {
    DynamicVolume volume = new DynamicVolume();
    volume.setMetadata(
        new ObjectMetaBuilder().withNamespace("vms").withName("vm1").withUid("u1").build());
    volume.setSpec(
        new DynamicVolumeSpec(
            json("{\"image\":\"copy:1\"}"),
            json("{\"metadata\":{\"labels\":\"x\"}}"),
            null,
            null,
            null,
            null));
    return volume;
  }

  private void dryRun() {
    perform(new VolumeStep.DryRun());
  }

  private void perform(VolumeStep step) {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    Tokens tokens = new Tokens(new byte[32]);
    VolumeObserved seen =
        new VolumeObserved(volume(), true, null, null, List.of(), List.of(), null, null);
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      new VolumeAct(
              client, tokens, new Conversations(tokens, Duration.ofMinutes(1)), Clock.systemUTC())
          .perform(step, seen);
    }
  }

  @Test
  void sendsTheTemplateUnchanged() {
    dryRun();
    assertEquals(
        List.of(
            "POST /api/v1/namespaces/vms/pods" + DRY_RUN,
            "POST /apis/apps/v1/namespaces/vms/deployments" + DRY_RUN),
        requests);
    assertEquals("x", bodies.getFirst().at("/metadata/labels").asText());
    assertEquals("x", bodies.getLast().at("/spec/template/metadata/labels").asText());
  }

  /// The test includes 404, because the client throws no exception if the response to a `GET` has
  /// this status. The dry run is a `POST`, and must throw an exception.
  @Test
  void aRefusalIsAnExceptionWithTheServersMessage() {
    for (int refusal : new int[] {400, 403, 404, 422}) {
      code = refusal;
      KubernetesClientException e = assertThrows(KubernetesClientException.class, this::dryRun);
      assertEquals(refusal, e.getCode());
      assertEquals("no such labels", e.getStatus().getMessage());
    }
    assertEquals(4, requests.size());
  }

  /// The request names the resource version of the claim, so that the operator does not delete a
  /// new claim of the same name.
  @Test
  void deletesOnlyTheClaimThatWasSeen() {
    PersistentVolumeClaim claim = new PersistentVolumeClaim();
    claim.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace("vms")
            .withName("disk")
            .withResourceVersion("7")
            .build());
    perform(new VolumeStep.DeleteClaim(claim));
    assertEquals(List.of("DELETE /api/v1/namespaces/vms/persistentvolumeclaims/disk"), requests);
    assertEquals("7", bodies.getFirst().at("/preconditions/resourceVersion").asText());
  }

  private Optional<VolumeReport> refused(DynamicVolume volume) {
    code = 422;
    return VolumeReconciler.refused(
        volume, assertThrows(KubernetesClientException.class, this::dryRun));
  }

  @Test
  void aRefusalIsReportedInTheVolumesPhase() {
    DynamicVolume volume = volume();
    assertEquals(
        Optional.of(VolumeReport.of(Phase.Pending, VolumeReason.SpecRefused, "no such labels")),
        refused(volume));
    volume.getMetadata().setDeletionTimestamp("2026-11-25T10:00:00Z");
    assertEquals(
        Optional.of(VolumeReport.of(Phase.Deleting, VolumeReason.NotDeleted, "no such labels")),
        refused(volume));
  }
}
