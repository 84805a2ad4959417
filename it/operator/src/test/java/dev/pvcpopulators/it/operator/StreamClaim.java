package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.IscsiLun;
import io.fabric8.kubernetes.api.model.ISCSIPersistentVolumeSource;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/// A user's claim of class `disk-stream` for the DiskImage of the [Tenant].
record StreamClaim(Tenant tenant, String name) {
  private static final String USER = "node.session.auth.username";
  private static final String PASSWORD = "node.session.auth.password";

  /// Creates the claim.
  ///
  /// @param size the requested storage
  static StreamClaim create(Tenant tenant, String name, String accessMode, String size) {
    tenant
        .client()
        .resource(
            new PersistentVolumeClaimBuilder(tenant.claimOf(Cluster.STREAM, "Block"))
                .editMetadata()
                .withName(name)
                .endMetadata()
                .editSpec()
                .withAccessModes(accessMode)
                .editResources()
                .addToRequests("storage", new Quantity(size))
                .endResources()
                .endSpec()
                .build())
        .create();
    return new StreamClaim(tenant, name);
  }

  Optional<PersistentVolumeClaim> found() {
    return Optional.ofNullable(
        tenant
            .client()
            .persistentVolumeClaims()
            .inNamespace(tenant.namespace())
            .withName(name)
            .get());
  }

  boolean bound() {
    return found().filter(claim -> "Bound".equals(claim.getStatus().getPhase())).isPresent();
  }

  /// Waits until the claim is bound.
  ///
  /// @return the claim's volume
  PersistentVolume awaitBound() throws InterruptedException {
    Waiting.untilTrue("claim %s/%s bound".formatted(tenant.namespace(), name), this::bound);
    return volume();
  }

  /// Returns the volume of the bound claim.
  PersistentVolume volume() {
    return tenant
        .client()
        .persistentVolumes()
        .withName(found().orElseThrow().getSpec().getVolumeName())
        .require();
  }

  /// Returns the DynamicVolume of the claim. The claim must not share its stream with other claims.
  Dynamic stream() {
    return new Dynamic(tenant, "stream-" + found().orElseThrow().getMetadata().getUid());
  }

  /// Returns the LUN that the fields and the Secret of the claim's volume describe.
  IscsiLun lun() {
    PersistentVolume volume = volume();
    String secret = volume.getSpec().getIscsi().getSecretRef().getName();
    return lun(volume).chap(tenant.secret(secret, USER), tenant.secret(secret, PASSWORD));
  }

  /// Returns the LUN that the fields of a volume describe, without credentials.
  static IscsiLun lun(PersistentVolume volume) {
    ISCSIPersistentVolumeSource iscsi = volume.getSpec().getIscsi();
    String portal = iscsi.getTargetPortal();
    int colon = portal.lastIndexOf(':');
    return new IscsiLun(
        portal.substring(0, colon),
        Integer.parseInt(portal.substring(colon + 1)),
        iscsi.getIqn(),
        iscsi.getLun(),
        IscsiLun.INITIATOR,
        "",
        "");
  }

  /// Waits until the portal accepts a login. The DynamicVolume's status is not sufficient, because
  /// the status may still describe a pod that has ended.
  void awaitLogin() throws InterruptedException {
    IscsiLun lun = lun();
    Waiting.untilTrue("a login at " + lun, () -> admits(lun));
  }

  private static boolean admits(IscsiLun lun) {
    try {
      return lun.inquiry().status() == 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete() {
    tenant
        .client()
        .persistentVolumeClaims()
        .inNamespace(tenant.namespace())
        .withName(name)
        .delete();
  }
}
