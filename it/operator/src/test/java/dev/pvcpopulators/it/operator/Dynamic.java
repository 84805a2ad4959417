package dev.pvcpopulators.it.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// A DynamicVolume of a user or of the operator, and the objects that the operator creates for this
/// DynamicVolume.
record Dynamic(Tenant tenant, String name) {
  private static final String KIND = "DynamicVolume";
  static final String LABEL = "pvcpopulators.dev/dynamic-volume";
  private static final String HOLD = "test/hold";
  private static final ObjectMapper JSON = new ObjectMapper();

  static Dynamic create(Tenant tenant, String name, Map<String, Object> spec) {
    tenant
        .client()
        .resource(
            new GenericKubernetesResourceBuilder()
                .withApiVersion(Tenant.VERSION)
                .withKind(KIND)
                .withNewMetadata()
                .withNamespace(tenant.namespace())
                .withName(name)
                .endMetadata()
                .addToAdditionalProperties("spec", spec)
                .build())
        .create();
    return new Dynamic(tenant, name);
  }

  /// Returns all DynamicVolumes of a namespace.
  static List<Dynamic> in(Tenant tenant) {
    return tenant
        .client()
        .genericKubernetesResources(Tenant.VERSION, KIND)
        .inNamespace(tenant.namespace())
        .list()
        .getItems()
        .stream()
        .map(found -> new Dynamic(tenant, found.getMetadata().getName()))
        .toList();
  }

  Optional<GenericKubernetesResource> found() {
    return Optional.ofNullable(
        tenant
            .client()
            .genericKubernetesResources(Tenant.VERSION, KIND)
            .inNamespace(tenant.namespace())
            .withName(name)
            .get());
  }

  /// Adds a finalizer that delays the removal of the DynamicVolume, or removes this finalizer.
  void hold(boolean held) {
    tenant
        .client()
        .genericKubernetesResources(Tenant.VERSION, KIND)
        .inNamespace(tenant.namespace())
        .withName(name)
        .edit(found -> {
          found.getMetadata().getFinalizers().removeIf(HOLD::equals);
          if (held) {
            found.getMetadata().getFinalizers().add(HOLD);
          }
          return found;
        });
  }

  String uid() {
    return found().orElseThrow().getMetadata().getUid();
  }

  /// Returns the status of the DynamicVolume; a `MissingNode` of Jackson if there is no
  /// DynamicVolume.
  JsonNode status() {
    return found()
        .map(found -> JSON.<JsonNode>valueToTree(found.get("status")))
        .orElseGet(JSON::missingNode);
  }

  /// Passes the current status and each later status to a listener until the caller closes the
  /// returned informer.
  SharedIndexInformer<GenericKubernetesResource> follow(Consumer<JsonNode> listener) {
    return tenant
        .client()
        .genericKubernetesResources(Tenant.VERSION, KIND)
        .inNamespace(tenant.namespace())
        .withName(name)
        .inform(
            new ResourceEventHandler<>() {
              @Override
              public void onAdd(GenericKubernetesResource added) {
                listener.accept(JSON.valueToTree(added.get("status")));
              }

              @Override
              public void onUpdate(
                  GenericKubernetesResource before, GenericKubernetesResource changed) {
                onAdd(changed);
              }

              @Override
              public void onDelete(GenericKubernetesResource deleted, boolean unknown) {}
            });
  }

  JsonNode awaitPhase(String phase) throws InterruptedException {
    try {
      return Waiting.until(
          "phase %s of %s".formatted(phase, name),
          () -> Optional.of(status()).filter(found -> phase.equals(found.path("phase").asText())));
    } catch (AssertionError e) {
      throw new AssertionError(status().toPrettyString(), e);
    }
  }

  /// Waits for a condition with this reason, and returns the message of the condition.
  String awaitReason(String reason) throws InterruptedException {
    return Waiting.until(
        "reason %s of %s".formatted(reason, name),
        () -> {
          for (JsonNode condition : status().path("conditions")) {
            if (condition.path("reason").asText().equals(reason)) {
              return Optional.of(condition.path("message").asText());
            }
          }
          return Optional.empty();
        });
  }

  List<Pod> pods() {
    return tenant
        .client()
        .pods()
        .inNamespace(tenant.namespace())
        .withLabel(LABEL, uid())
        .list()
        .getItems();
  }

  List<Deployment> deployments() {
    return tenant
        .client()
        .apps()
        .deployments()
        .inNamespace(tenant.namespace())
        .withLabel(LABEL)
        .list()
        .getItems();
  }

  /// Returns the PersistentVolumes that the operator created for network disks of the namespace.
  List<PersistentVolume> volumes() {
    return tenant.client().persistentVolumes().withLabel(LABEL).list().getItems().stream()
        .filter(volume -> tenant.namespace().equals(volume.getSpec().getClaimRef().getNamespace()))
        .toList();
  }

  /// Sends a request with the operator's token to the container. Trusts only the certificate that
  /// the operator created for the container.
  ///
  /// @param port the port of the container's HTTPS server
  /// @param arguments other arguments of curl
  /// @return the body of the answer; a status of 400 or more fails the test
  String request(int port, String path, String... arguments) throws IOException {
    String child = "dynamic-" + uid();
    Path authority = Files.createTempFile("dynamic", ".crt");
    try {
      Files.writeString(authority, tenant.secret(child, "tls.crt"));
      String address = pods().getFirst().getStatus().getPodIP();
      return Command.of("curl", "-sS", "--fail-with-body", "--cacert", authority)
          .with("--connect-to", "::%s:%d".formatted(address, port))
          .with("-H", "Authorization: Bearer " + tenant.secret(child, "token"))
          .with((Object[]) arguments)
          .with("https://%s.%s.svc:%d%s".formatted(child, tenant.namespace(), port, path))
          .tried()
          .ok()
          .out();
    } finally {
      Files.delete(authority);
    }
  }

  /// Returns the status that the container reports at `/volume/status`.
  ///
  /// @param port the port of the container's HTTPS server
  JsonNode containerStatus(int port) {
    try {
      return JSON.readTree(request(port, "/volume/status", "-H", "Accept: application/json"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete() {
    tenant
        .client()
        .genericKubernetesResources(Tenant.VERSION, KIND)
        .inNamespace(tenant.namespace())
        .withName(name)
        .delete();
  }

  /// Waits until the DynamicVolume and the operator's objects for all DynamicVolumes of the
  /// namespace are deleted.
  void awaitGone() throws InterruptedException {
    Waiting.untilTrue(
        "the end of everything of " + name,
        () ->
            found().isEmpty()
                && deployments().isEmpty()
                && volumes().isEmpty()
                && tenant
                    .client()
                    .pods()
                    .inNamespace(tenant.namespace())
                    .withLabel(LABEL)
                    .list()
                    .getItems()
                    .isEmpty()
                && tenant
                    .client()
                    .services()
                    .inNamespace(tenant.namespace())
                    .withLabel(LABEL)
                    .list()
                    .getItems()
                    .isEmpty()
                && tenant
                    .client()
                    .secrets()
                    .inNamespace(tenant.namespace())
                    .withLabel(LABEL)
                    .list()
                    .getItems()
                    .isEmpty()
                && tenant
                    .client()
                    .persistentVolumeClaims()
                    .inNamespace(tenant.namespace())
                    .withLabel(LABEL)
                    .list()
                    .getItems()
                    .isEmpty());
  }
}
