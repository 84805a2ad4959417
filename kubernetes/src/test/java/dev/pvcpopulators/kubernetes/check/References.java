package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.foreign.Certificate;
import dev.pvcpopulators.kubernetes.foreign.Issuer;
import dev.pvcpopulators.kubernetes.foreign.VirtualMachine;
import dev.pvcpopulators.kubernetes.manifest.ModelWalk;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Resource;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import io.fabric8.kubernetes.api.model.ConfigMapKeySelector;
import io.fabric8.kubernetes.api.model.ConfigMapProjection;
import io.fabric8.kubernetes.api.model.ConfigMapVolumeSource;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecretKeySelector;
import io.fabric8.kubernetes.api.model.SecretProjection;
import io.fabric8.kubernetes.api.model.SecretReference;
import io.fabric8.kubernetes.api.model.SecretVolumeSource;
import io.fabric8.kubernetes.api.model.networking.v1.IngressTLS;
import io.fabric8.kubernetes.api.model.rbac.RoleRef;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Checks that each referenced object exists. The object must be in a rendering, or must be created
/// by a command of the README, by cert-manager or by Kubernetes. A Secret or a ConfigMap must also
/// have the required keys.
final class References implements Check {
  private static final Set<String> TLS = Set.of("tls.crt", "tls.key");
  private static final Set<String> REGISTRY = Set.of(".dockerconfigjson");

  /// Keys of a Secret of type kubernetes.io/iscsi-chap. The node uses the Secret to log in for
  /// discovery and then to log in to the target.
  private static final Set<String> CHAP =
      Set.of(
          "discovery.sendtargets.auth.username",
          "discovery.sendtargets.auth.password",
          "node.session.auth.username",
          "node.session.auth.password");

  private static final Map<Class<?>, Naming> NAMINGS = namings();

  /// A reference to another object.
  ///
  /// @param namespace the namespace of the other object; null for a cluster-scoped object
  /// @param keys the keys that the other object must have
  private record Reference(
      String kind, @Nullable String namespace, @Nullable String name, Set<String> keys) {}

  /// Finds the reference in an object of one class of the model.
  @FunctionalInterface
  private interface Naming {
    /// Returns the reference, or null if this object refers to no object that must exist.
    @Nullable Reference in(String namespace, String path, Map<String, Object> properties);
  }

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Resource resource : rendering.resources()) {
      ModelWalk.of(
          resource,
          (path, type, properties) ->
              reference(resource, path, type, properties)
                  .ifPresent(reference -> judge(resource, path, reference, surroundings, faults)));
    }
    return faults;
  }

  private static void judge(
      Resource resource,
      String path,
      Reference reference,
      Surroundings surroundings,
      List<String> faults) {
    String name = reference.name();
    if (name == null) {
      return;
    }
    String where = resource.id() + " " + path + ": ";
    String namespace = Objects.requireNonNullElse(reference.namespace(), "");
    Optional<Set<String>> keys = surroundings.keys(reference.kind(), name);
    boolean there = keys.isPresent() || surroundings.has(reference.kind(), namespace, name);
    if (!there) {
      faults.add(
          where
              + "neither a manifest nor a command of the README makes the "
              + reference.kind()
              + " "
              + name);
    } else if (keys.isPresent() && !keys.get().containsAll(reference.keys())) {
      faults.add(
          where
              + reference.kind()
              + " "
              + name
              + " is made with the keys "
              + keys.get()
              + ", expected "
              + reference.keys());
    }
  }

  private static Optional<Reference> reference(
      Resource resource, String path, Class<?> type, Map<String, Object> properties) {
    Naming naming = NAMINGS.get(type);
    return naming == null || Boolean.TRUE.equals(properties.get("optional"))
        ? Optional.empty()
        : Optional.ofNullable(naming.in(resource.namespace(), path, properties));
  }

  private static Map<Class<?>, Naming> namings() {
    Map<Class<?>, Naming> namings = new HashMap<>();
    namings.put(SecretVolumeSource.class, own("Secret", "secretName", References::keys));
    namings.put(SecretProjection.class, own("Secret", "name", References::keys));
    namings.put(SecretKeySelector.class, own("Secret", "name", References::key));
    namings.put(ConfigMapVolumeSource.class, own("ConfigMap", "name", References::keys));
    namings.put(ConfigMapProjection.class, own("ConfigMap", "name", References::keys));
    namings.put(ConfigMapKeySelector.class, own("ConfigMap", "name", References::key));
    namings.put(IngressTLS.class, own("Secret", "secretName", _ -> TLS));
    namings.put(Issuer.Authority.class, own("Secret", "secretName", _ -> TLS));
    namings.put(
        VirtualMachine.KernelContainer.class, own("Secret", "imagePullSecret", _ -> REGISTRY));
    namings.put(
        PersistentVolumeClaimVolumeSource.class,
        own("PersistentVolumeClaim", "claimName", _ -> Set.of()));
    namings.put(PodSpec.class, own("ServiceAccount", "serviceAccountName", _ -> Set.of()));
    // A PersistentVolume has no namespace, so its reference to a Secret contains the Secret's
    // namespace.
    namings.put(SecretReference.class, (_, _, properties) -> elsewhere("Secret", properties, CHAP));
    namings.put(
        ObjectReference.class,
        (_, path, properties) ->
            path.endsWith("claimRef")
                ? elsewhere("PersistentVolumeClaim", properties, Set.of())
                : null);
    namings.put(
        LocalObjectReference.class,
        (namespace, path, properties) ->
            path.contains("imagePullSecrets")
                ? new Reference("Secret", namespace, text(properties, "name"), REGISTRY)
                : null);
    namings.put(
        Subject.class,
        (_, _, properties) ->
            "ServiceAccount".equals(properties.get("kind"))
                ? elsewhere("ServiceAccount", properties, Set.of())
                : null);
    namings.put(RoleRef.class, (namespace, _, properties) -> role(namespace, properties));
    namings.put(
        Certificate.IssuerRef.class,
        (namespace, _, properties) ->
            "Issuer".equals(properties.get("kind"))
                ? new Reference("Issuer", namespace, text(properties, "name"), Set.of())
                : null);
    return Map.copyOf(namings);
  }

  /// Returns a [Naming] for references to objects in the namespace of the referring resource.
  private static Naming own(
      String kind, String field, Function<Map<String, Object>, Set<String>> keys) {
    return (namespace, _, properties) ->
        new Reference(kind, namespace, text(properties, field), keys.apply(properties));
  }

  /// Returns a reference to an object in the namespace that the properties state.
  private static Reference elsewhere(
      String kind, Map<String, Object> properties, Set<String> keys) {
    return new Reference(kind, text(properties, "namespace"), text(properties, "name"), keys);
  }

  private static Reference role(String namespace, Map<String, Object> properties) {
    String kind = String.valueOf(properties.get("kind"));
    return new Reference(
        kind, kind.equals("Role") ? namespace : null, text(properties, "name"), Set.of());
  }

  private static @Nullable String text(Map<String, Object> properties, String name) {
    Object value = properties.get(name);
    return value == null ? null : value.toString();
  }

  private static Set<String> key(Map<String, Object> properties) {
    return Set.of(String.valueOf(properties.get("key")));
  }

  private static Set<String> keys(Map<String, Object> properties) {
    return properties.get("items") instanceof Collection<?> items
        ? Set.copyOf(items.stream().map(item -> ((KeyToPath) item).getKey()).toList())
        : Set.of();
  }
}
