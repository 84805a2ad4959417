package dev.pvcpopulators.it.operator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.operator.FaultProxy.Write;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.Optional;

/// A claim of class `disk-stream`. The operator creates its DynamicVolume.
record StreamedDisk(Tenant tenant) implements DeletedDisk {
  private static final String PHASE = "phase";

  /// The operator's writes between the creation of the claim and its binding.
  enum Writes implements Point {
    STREAM,
    FINALIZER,
    CHAP_SECRET,
    CACHE,
    DRY_RUN,
    ACCEPTED,
    SERVICE,
    SECRET,
    CERTIFICATE,
    DEPLOYMENT,
    SOURCE,
    PERSISTENT_VOLUME;

    @Override
    public boolean is(Write write) {
      JsonNode status = write.volumeStatus();
      return switch (this) {
        case STREAM -> write.creates("dynamicvolumes");
        case FINALIZER ->
            write.resource().equals("dynamicvolumes")
                && !write.method().equals("DELETE")
                && !write.method().equals("POST");
        case CHAP_SECRET -> write.creates("secrets") && chap(write);
        case CACHE -> write.creates("persistentvolumeclaims");
        case DRY_RUN -> write.creates("deployments", true);
        case ACCEPTED -> status.path(PHASE).asText().equals("Starting");
        case SERVICE -> write.creates("services");
        case SECRET -> write.creates("secrets") && !chap(write);
        case CERTIFICATE -> status.has("certificate");
        case DEPLOYMENT -> write.creates("deployments");
        case SOURCE -> status.has("source");
        case PERSISTENT_VOLUME -> write.creates("persistentvolumes");
      };
    }

    private static boolean chap(Write write) {
      return write.body().path("type").asText().equals("kubernetes.io/iscsi-chap");
    }
  }

  private StreamClaim stream() {
    return new StreamClaim(tenant, Tenant.CLAIM);
  }

  @Override
  public void prepare() {
    tenant.image(tenant.cluster().images().spec("disk:1"));
  }

  @Override
  public void create() {
    StreamClaim.create(tenant, Tenant.CLAIM, "ReadWriteOnce", "16Mi");
  }

  @Override
  public void remove() {
    stream().delete();
  }

  @Override
  public boolean endsWith(Deletion.Subject deleted) {
    return deleted == Deletion.Subject.CLAIM;
  }

  /// Returns the only DynamicVolume of the namespace. If there is no DynamicVolume, the result
  /// refers to a DynamicVolume that does not exist.
  @Override
  public Dynamic volume() {
    return Dynamic.in(tenant).stream().findFirst().orElseGet(() -> new Dynamic(tenant, "none"));
  }

  @Override
  public Optional<PersistentVolumeClaim> claim() {
    return tenant.foundClaim();
  }

  @Override
  public IscsiLun lun(PersistentVolume volume, String address) {
    return stream().lun().at(address);
  }
}
