package dev.pvcpopulators.kubernetes.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.kubernetes.foreign.Certificate;
import dev.pvcpopulators.kubernetes.foreign.DiskImage;
import dev.pvcpopulators.kubernetes.foreign.DynamicVolume;
import dev.pvcpopulators.kubernetes.foreign.HttpRoute;
import dev.pvcpopulators.kubernetes.foreign.Issuer;
import dev.pvcpopulators.kubernetes.foreign.VirtualMachine;
import dev.pvcpopulators.kubernetes.foreign.VolumePopulator;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The kinds that manifests may contain; the tests refuse all other kinds.
final class Kinds {
  private static final Map<String, Class<?>> KNOWN = known();

  private Kinds() {}

  /// Returns the class of a document.
  ///
  /// @throws MalformedManifestException if its kind is missing or unknown
  static Class<?> of(JsonNode document) {
    String kind = key(document.path("apiVersion").asText(), document.path("kind").asText());
    Class<?> type = KNOWN.get(kind);
    if (type == null) {
      throw new MalformedManifestException("Reading a " + kind + ": expected a kind that is known");
    }
    return type;
  }

  private static Map<String, Class<?>> known() {
    Map<String, Class<?>> known = new HashMap<>();
    List.<Class<? extends HasMetadata>>of(
            Namespace.class,
            ServiceAccount.class,
            Secret.class,
            ConfigMap.class,
            Service.class,
            PersistentVolume.class,
            PersistentVolumeClaim.class,
            Pod.class,
            Deployment.class,
            Job.class,
            Ingress.class,
            NetworkPolicy.class,
            Role.class,
            RoleBinding.class,
            ClusterRole.class,
            ClusterRoleBinding.class,
            CustomResourceDefinition.class,
            StorageClass.class,
            ServiceMonitor.class,
            PrometheusRule.class)
        .forEach(type ->
            known.put(key(HasMetadata.getApiVersion(type), HasMetadata.getKind(type)), type));
    known.put(key(VirtualMachine.API_VERSION, "VirtualMachine"), VirtualMachine.class);
    known.put(key(Certificate.API_VERSION, "Certificate"), Certificate.class);
    known.put(key(Issuer.API_VERSION, "Issuer"), Issuer.class);
    known.put(key(VolumePopulator.API_VERSION, "VolumePopulator"), VolumePopulator.class);
    known.put(key(HttpRoute.API_VERSION, "HTTPRoute"), HttpRoute.class);
    // The operator's tests check the schemas of DiskImage and DynamicVolume.
    known.put(key(DiskImage.API_VERSION, "DiskImage"), DiskImage.class);
    known.put(key(DynamicVolume.API_VERSION, "DynamicVolume"), DynamicVolume.class);
    return Map.copyOf(known);
  }

  private static String key(String apiVersion, String kind) {
    return apiVersion + "/" + kind;
  }
}
