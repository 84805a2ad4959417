package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec.VolumeService;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.child.ServerCertificate;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.child.VolumeNames;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// The credentials for access to the container of a dynamic volume.
///
/// @param secret Secret of the pod: `token`, `tls.crt` and `tls.key`
/// @param certificate PEM, the only certificate that the operator accepts from the container
public record VolumeAccess(Secret secret, String certificate) {
  /// The lifetime of the certificate: longer than any pod is expected to run. Only the operator
  /// trusts the certificate, and only for pods of this dynamic volume.
  private static final Duration LIFETIME = Duration.ofDays(3650);

  private static final Duration LEEWAY = Duration.ofDays(1);

  /// Returns the credentials for a dynamic volume, with a new certificate.
  public static VolumeAccess of(DynamicVolume volume, Tokens tokens, Instant now) {
    String name = VolumeNames.child(volume);
    ServerCertificate made =
        ServerCertificate.of(
            List.of("%s.%s.svc".formatted(name, volume.getMetadata().getNamespace())),
            now.minus(LEEWAY),
            now.plus(LIFETIME));
    Secret secret =
        new SecretBuilder()
            .withMetadata(VolumeNames.owned(volume, name).build())
            .withType("Opaque")
            .withStringData(
                Map.of(
                    "token", tokens.volume(volume),
                    "tls.crt", made.certificate(),
                    "tls.key", made.key()))
            .build();
    return new VolumeAccess(secret, made.certificate());
  }

  /// Returns the Service in front of the pod. The Service routes to the pod even while the pod is
  /// not ready, because logged-in initiators wait for the pod.
  public static Service service(DynamicVolume volume, VolumeService wanted) {
    return new ServiceBuilder()
        .withMetadata(VolumeNames.owned(volume, VolumeNames.child(volume)).build())
        .withNewSpec()
        .withType("ClusterIP")
        .withSelector(Map.of(Group.VOLUME, volume.getMetadata().getUid()))
        .withPublishNotReadyAddresses(true)
        .addNewPort()
        .withName("disk")
        .withPort(wanted.port())
        .withNewTargetPort(wanted.port())
        .withProtocol("TCP")
        .endPort()
        .endSpec()
        .build();
  }
}
