package dev.pvcpopulators.it.operator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.operator.FaultProxy.Write;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A DynamicVolume of a user. Its network disk is published as a claim.
record PublishedDisk(Tenant tenant) implements DeletedDisk {
  private static final String NAME = "name";
  private static final String CACHE = "cache";
  private static final String PUBLISHED = "published";

  enum Writes implements Point {
    FINALIZER,
    DRY_RUN,
    ACCEPTED,
    SERVICE,
    FORMER_SECRET,
    SECRET,
    CERTIFICATE,
    DEPLOYMENT,
    PERSISTENT_VOLUME,
    SOURCE,
    CLAIM,
    READY;

    @Override
    public boolean is(Write write) {
      JsonNode status = write.volumeStatus();
      return switch (this) {
        case FINALIZER ->
            write.resource().equals("dynamicvolumes") && !write.method().equals("DELETE");
        case DRY_RUN -> write.creates("deployments", true);
        case ACCEPTED -> status.path("phase").asText().equals("Starting");
        case SERVICE -> write.creates("services");
        case FORMER_SECRET -> write.resource().equals("secrets") && write.method().equals("DELETE");
        case SECRET -> write.creates("secrets");
        case CERTIFICATE -> status.has("certificate");
        case DEPLOYMENT -> write.creates("deployments");
        case PERSISTENT_VOLUME -> write.creates("persistentvolumes");
        case SOURCE -> status.has("source");
        case CLAIM -> write.creates("persistentvolumeclaims");
        case READY -> status.path("phase").asText().equals("Ready");
      };
    }
  }

  @Override
  public void prepare() {
    tenant.client().resource(tenant.plainClaim(CACHE, Cluster.IMMEDIATE, "Filesystem")).create();
  }

  @Override
  public void create() {
    Dynamic.create(tenant, PUBLISHED, spec());
  }

  private Map<String, Object> spec() {
    Images images = tenant.cluster().images();
    return Map.of(
        "container",
        Map.of(
            "image",
            "localhost/pvc-populators/registry-stream-iscsi:1",
            "env",
            List.of(
                variable("REGISTRY_STREAM_ISCSI_IMAGE", images.reference("disk:1")),
                variable("REGISTRY_STREAM_ISCSI_INSECURE_REGISTRIES", images.address()),
                variable("REGISTRY_STREAM_ISCSI_COPY_MODE", "copy-on-write"),
                variable("REGISTRY_STREAM_ISCSI_AUTH", "none")),
            "volumeMounts",
            List.of(Map.of(NAME, CACHE, "mountPath", "/volume"))),
        "pod",
        Map.of(
            "spec",
            Map.of(
                "volumes",
                List.of(Map.of(NAME, CACHE, "persistentVolumeClaim", Map.of("claimName", CACHE))))),
        "service",
        Map.of("port", 3260, "addressVariable", "REGISTRY_STREAM_ISCSI_HOST"),
        "publish",
        Map.of("claimName", PUBLISHED));
  }

  private static Map<String, Object> variable(String name, String value) {
    return Map.of(NAME, name, "value", value);
  }

  @Override
  public void remove() {
    volume().delete();
  }

  @Override
  public boolean endsWith(Deletion.Subject deleted) {
    return deleted == Deletion.Subject.DYNAMIC_VOLUME;
  }

  @Override
  public Dynamic volume() {
    return new Dynamic(tenant, PUBLISHED);
  }

  @Override
  public Optional<PersistentVolumeClaim> claim() {
    return Optional.ofNullable(
        tenant
            .client()
            .persistentVolumeClaims()
            .inNamespace(tenant.namespace())
            .withName(PUBLISHED)
            .get());
  }

  @Override
  public IscsiLun lun(PersistentVolume volume, String address) {
    return StreamClaim.lun(volume).at(address);
  }
}
