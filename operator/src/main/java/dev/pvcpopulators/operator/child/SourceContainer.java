package dev.pvcpopulators.operator.child;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.HttpSource;
import dev.pvcpopulators.operator.api.MachineSource;
import dev.pvcpopulators.operator.api.RegistrySource;
import dev.pvcpopulators.operator.plan.Claims;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The part of a Job or a stream that depends on the source: the service, its settings, and the
/// files that the settings name.
///
/// @param service the name of the service, which is also the name of its image
/// @param prefix prefix of the service's own settings
record SourceContainer(
    String service,
    String prefix,
    Map<String, String> environment,
    List<Volume> volumes,
    List<VolumeMount> mounts) {
  private static final String FILES = "/etc/pvc-populators/";
  private static final long MEBIBYTE = 1L << 20;

  /// Mode 0440, readable by the pod's group.
  private static final int GROUP_READS = 288;

  static SourceContainer of(PersistentVolumeClaim claim, DiskImageSpec image) {
    if (image.registry() != null) {
      return registry("registry-copy", "REGISTRY_COPY_", image.registry());
    }
    if (image.http() != null) {
      return http(image.http());
    }
    if (image.machine() != null) {
      return machine(claim, image.machine());
    }
    return upload(claim, image);
  }

  /// Returns the container of a service that reads the disk from a container image.
  static SourceContainer registry(String service, String prefix, RegistrySource source) {
    SourceContainer container = named(service, prefix);
    container.put("IMAGE", reference(source.image(), source.digest()));
    container.put("PLATFORM", source.platform());
    container.put("PATH", source.path());
    container.credentials(source.pullSecret());
    container.authority(source.authority());
    return container;
  }

  private static SourceContainer http(HttpSource source) {
    SourceContainer container = named("http-copy", "HTTP_COPY_");
    container.put("URL", source.url());
    container.put("SHA256", source.sha256());
    container.authority(source.authority());
    if (source.headersSecret() != null) {
      container.secret("http-headers", source.headersSecret());
      container.put("HEADERS_FILE", FILES + "http-headers/headers");
    }
    return container;
  }

  private static SourceContainer machine(PersistentVolumeClaim claim, MachineSource source) {
    SourceContainer container = named("image-to-qcow2-layers", "IMAGE_TO_QCOW2_LAYERS_");
    container.put("IMAGE", source.image());
    container.put("FLATTEN", "true");
    container.put("STORE", "/store");
    container.put("SIZE", source.size() == null ? size(claim) : source.size());
    container.credentials(source.pullSecret());
    container.authority(source.authority());
    VolumeBuilder store = new VolumeBuilder().withName("store");
    if (source.store() == null) {
      store.withNewEmptyDir().endEmptyDir();
    } else {
      store.withNewPersistentVolumeClaim().withClaimName(source.store()).endPersistentVolumeClaim();
    }
    container.volumes.add(store.build());
    container.mounts.add(
        new VolumeMountBuilder().withName("store").withMountPath("/store").build());
    return container;
  }

  private static SourceContainer upload(PersistentVolumeClaim claim, DiskImageSpec image) {
    SourceContainer container = named("http-upload", "HTTP_UPLOAD_");
    if (image.upload() != null && image.upload().sha256() != null) {
      container.put("DIGEST", "true");
    }
    container.secret("upload", Claims.childName(claim));
    container.environment.put("POPULATOR_AUTH", "token");
    container.environment.put("POPULATOR_TOKEN_FILE", FILES + "upload/token");
    container.environment.put("POPULATOR_TLS_CERTIFICATE", FILES + "upload/tls.crt");
    container.environment.put("POPULATOR_TLS_KEY", FILES + "upload/tls.key");
    return container;
  }

  private static SourceContainer named(String service, String prefix) {
    return new SourceContainer(
        service, prefix, new LinkedHashMap<>(), new ArrayList<>(), new ArrayList<>());
  }

  private static String reference(String image, @Nullable String digest) {
    return digest == null || image.contains("@") ? image : image + "@" + digest;
  }

  /// Returns nine tenths of the claim's size, but at least 16 MiB, as a number of MiB followed by
  /// `M`. If the volume has a file system, the file system needs the rest of the claim.
  private static String size(PersistentVolumeClaim claim) {
    Quantity asked = Claims.size(claim);
    long mebibytes =
        asked
            .getNumericalAmount()
            .multiply(BigDecimal.valueOf(9))
            .divideToIntegralValue(BigDecimal.valueOf(10 * MEBIBYTE))
            .longValue();
    return Math.max(16, mebibytes) + "M";
  }

  private void put(String name, @Nullable String value) {
    if (value != null) {
      environment.put(prefix + name, value);
    }
  }

  private void credentials(@Nullable String name) {
    if (name != null) {
      secret("registry-credentials", name);
      environment.put("REGISTRY_AUTH_FILE", FILES + "registry-credentials/.dockerconfigjson");
    }
  }

  private void authority(@Nullable String configMap) {
    if (configMap != null) {
      volumes.add(
          new VolumeBuilder()
              .withName("authority")
              .withNewConfigMap()
              .withName(configMap)
              .endConfigMap()
              .build());
      mount("authority");
      put("CA_FILE", FILES + "authority/ca.crt");
    }
  }

  private void secret(String volume, String name) {
    volumes.add(
        new VolumeBuilder()
            .withName(volume)
            .withNewSecret()
            .withSecretName(name)
            .withDefaultMode(GROUP_READS)
            .endSecret()
            .build());
    mount(volume);
  }

  private void mount(String volume) {
    mounts.add(
        new VolumeMountBuilder()
            .withName(volume)
            .withMountPath(FILES + volume)
            .withReadOnly(true)
            .build());
  }
}
