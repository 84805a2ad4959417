package dev.pvcpopulators.it.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Objects that the operator did not create and must not change. The objects are in the namespace
/// of a tenant.
final class OtherObjects {
  private static final String NAME = "name";
  private static final String OTHERS = "others";

  private OtherObjects() {}

  /// Creates a claim, a Secret and a Deployment, and waits until all claims of the namespace are
  /// bound.
  static void create(Tenant tenant) throws InterruptedException {
    KubernetesClient client = tenant.client();
    client.resource(tenant.plainClaim(OTHERS, Cluster.IMMEDIATE, "Filesystem")).create();
    client
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withNamespace(tenant.namespace())
                .withName(OTHERS)
                .endMetadata()
                .build())
        .create();
    client
        .resource(
            new DeploymentBuilder()
                .withNewMetadata()
                .withNamespace(tenant.namespace())
                .withName(OTHERS)
                .endMetadata()
                .withNewSpec()
                .withReplicas(0)
                .withNewSelector()
                .addToMatchLabels(NAME, OTHERS)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels(NAME, OTHERS)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName(OTHERS)
                .withImage("registry.test/none:1")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build())
        .create();
    Waiting.untilTrue(
        "bound claims of others",
        () ->
            tenant.claims().stream()
                .allMatch(claim -> "Bound".equals(claim.getStatus().getPhase())));
  }

  /// Returns a text for each claim, for each volume, for the DiskImage if there is one, and for the
  /// Secret and the Deployment of [#create]. The text contains the name and the UID. The text of a
  /// claim or a volume also contains the phase.
  static List<String> of(Tenant tenant) {
    KubernetesClient client = tenant.client();
    String namespace = tenant.namespace();
    Stream<String> claims =
        tenant.claims().stream().map(claim -> text(claim) + " " + claim.getStatus().getPhase());
    Stream<String> volumes =
        tenant.volumes().stream().map(volume -> text(volume) + " " + volume.getStatus().getPhase());
    List<HasMetadata> rest = new ArrayList<>();
    rest.add(client.secrets().inNamespace(namespace).withName(OTHERS).require());
    rest.add(client.apps().deployments().inNamespace(namespace).withName(OTHERS).require());
    tenant.foundImage().ifPresent(rest::add);
    return Stream.of(claims, volumes, rest.stream().map(OtherObjects::text))
        .flatMap(all -> all)
        .sorted()
        .toList();
  }

  private static String text(HasMetadata object) {
    return object.getMetadata().getName() + " " + object.getMetadata().getUid();
  }
}
