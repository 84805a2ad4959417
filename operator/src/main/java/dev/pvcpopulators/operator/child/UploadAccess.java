package dev.pvcpopulators.operator.child;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Upload;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.api.UploadSource;
import dev.pvcpopulators.operator.plan.Claims;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The objects that an upload needs. The server's private key is in a separate Secret, which
/// clients do not have to read.
///
/// @param server Secret of the pod: `token`, `tls.crt` and `tls.key`
/// @param client Secret of the uploading client: `url`, `token` and `ca.crt`
/// @param told the endpoint as the population's status shows it
public record UploadAccess(Secret server, Secret client, Service service, Upload told) {
  private static final int PORT = 443;

  /// Extends the validity of the certificate at both ends. Allows for clock skew of clients, and
  /// for the time until the pod starts.
  private static final Duration LEEWAY = Duration.ofDays(1);

  /// Returns the upload access of a claim, with a new certificate.
  public static UploadAccess of(
      PersistentVolumeClaim claim, DiskPopulation population, Tokens tokens, Instant now) {
    String name = Claims.uploadName(claim);
    String host = "%s.%s.svc".formatted(name, claim.getMetadata().getNamespace());
    String url = "https://%s/upload".formatted(host);
    UploadSource source = Objects.requireNonNull(population.getSpec().image().upload());
    // A client that uses kubectl port-forward connects to localhost.
    ServerCertificate made =
        ServerCertificate.of(
            List.of(host, host + ".cluster.local", "localhost"),
            now.minus(LEEWAY),
            now.plus(source.lifetime()).plus(LEEWAY));
    String token = tokens.upload(claim);
    return new UploadAccess(
        secret(
            claim,
            population,
            Claims.childName(claim),
            Map.of("token", token, "tls.crt", made.certificate(), "tls.key", made.key())),
        secret(
            claim,
            population,
            name,
            Map.of("url", url, "token", token, "ca.crt", made.certificate())),
        service(claim, population, name),
        new Upload(url, name, made.certificate()));
  }

  private static Secret secret(
      PersistentVolumeClaim claim,
      DiskPopulation population,
      String name,
      Map<String, String> values) {
    return new SecretBuilder()
        .withMetadata(Owner.child(claim, population, name).build())
        .withType("Opaque")
        .withStringData(values)
        .build();
  }

  private static Service service(
      PersistentVolumeClaim claim, DiskPopulation population, String name) {
    return new ServiceBuilder()
        .withMetadata(Owner.child(claim, population, name).build())
        .withNewSpec()
        .withType("ClusterIP")
        .withSelector(Map.of(Group.POPULATION, population.getMetadata().getUid()))
        .addNewPort()
        .withName("https")
        .withPort(PORT)
        .withNewTargetPort("https")
        .withProtocol("TCP")
        .endPort()
        .endSpec()
        .build();
  }
}
