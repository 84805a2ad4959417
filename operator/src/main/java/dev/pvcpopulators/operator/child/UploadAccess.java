package dev.pvcpopulators.operator.child;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Upload;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.plan.Claims;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.Map;

/// What a client needs for an upload.
///
/// @param secret has `url` and `token`
public record UploadAccess(Secret secret, Service service, Upload told) {
  private static final int PORT = 80;

  /// That of a claim.
  public static UploadAccess of(
      PersistentVolumeClaim claim, DiskPopulation population, Tokens tokens) {
    String name = Claims.uploadName(claim);
    String url = "http://%s.%s.svc/upload".formatted(name, claim.getMetadata().getNamespace());
    Secret secret =
        new SecretBuilder()
            .withMetadata(Owner.child(claim, population, name).build())
            .withType("Opaque")
            .withStringData(Map.of("url", url, "token", tokens.upload(claim)))
            .build();
    Service service =
        new ServiceBuilder()
            .withMetadata(Owner.child(claim, population, name).build())
            .withNewSpec()
            .withType("ClusterIP")
            .withSelector(Map.of(Group.POPULATION, population.getMetadata().getUid()))
            .addNewPort()
            .withName("http")
            .withPort(PORT)
            .withNewTargetPort("http")
            .withProtocol("TCP")
            .endPort()
            .endSpec()
            .build();
    return new UploadAccess(secret, service, new Upload(url, name));
  }
}
