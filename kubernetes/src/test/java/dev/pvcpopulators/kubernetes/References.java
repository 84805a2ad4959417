package dev.pvcpopulators.kubernetes;

import dev.pvcpopulators.kubernetes.foreign.Certificate;
import dev.pvcpopulators.kubernetes.foreign.Issuer;
import dev.pvcpopulators.kubernetes.foreign.VirtualMachine;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a resource names is made by some rendering, or by the user with a command of the README; of
/// Secrets and ConfigMaps, the keys as well.
final class References implements Check {
  /// A name somewhere, of something else.
  ///
  /// @param namespace of what is named; null for what has none
  /// @param keys that it needs
  private record Reference(
      String kind, @Nullable String namespace, @Nullable String name, Set<String> keys) {}

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
    String own = resource.namespace();
    if (Boolean.TRUE.equals(properties.get("optional"))) {
      return Optional.empty();
    }
    Reference reference = null;
    if (type == SecretVolumeSource.class) {
      reference = new Reference("Secret", own, text(properties, "secretName"), keys(properties));
    } else if (type == SecretProjection.class) {
      reference = new Reference("Secret", own, text(properties, "name"), keys(properties));
    } else if (type == SecretKeySelector.class) {
      reference = new Reference("Secret", own, text(properties, "name"), key(properties));
    } else if (type == SecretReference.class) {
      // Of a PersistentVolume: the volume has no namespace, its Secret has.
      reference =
          new Reference(
              "Secret",
              text(properties, "namespace"),
              text(properties, "name"),
              Set.of("node.session.auth.username", "node.session.auth.password"));
    } else if (type == LocalObjectReference.class && path.contains("imagePullSecrets")) {
      reference =
          new Reference("Secret", own, text(properties, "name"), Set.of(".dockerconfigjson"));
    } else if (type == ConfigMapVolumeSource.class || type == ConfigMapProjection.class) {
      reference = new Reference("ConfigMap", own, text(properties, "name"), keys(properties));
    } else if (type == ConfigMapKeySelector.class) {
      reference = new Reference("ConfigMap", own, text(properties, "name"), key(properties));
    } else if (type == PersistentVolumeClaimVolumeSource.class) {
      reference =
          new Reference("PersistentVolumeClaim", own, text(properties, "claimName"), Set.of());
    } else if (type == ObjectReference.class && path.endsWith("claimRef")) {
      reference =
          new Reference(
              "PersistentVolumeClaim",
              text(properties, "namespace"),
              text(properties, "name"),
              Set.of());
    } else if (type == PodSpec.class) {
      reference =
          new Reference("ServiceAccount", own, text(properties, "serviceAccountName"), Set.of());
    } else if (type == Subject.class && "ServiceAccount".equals(properties.get("kind"))) {
      reference =
          new Reference(
              "ServiceAccount", text(properties, "namespace"), text(properties, "name"), Set.of());
    } else if (type == RoleRef.class) {
      String kind = String.valueOf(properties.get("kind"));
      reference =
          new Reference(kind, kind.equals("Role") ? own : null, text(properties, "name"), Set.of());
    } else if (type == IngressTLS.class) {
      reference =
          new Reference(
              "Secret", own, text(properties, "secretName"), Set.of("tls.crt", "tls.key"));
    } else if (type == Issuer.Authority.class) {
      reference =
          new Reference(
              "Secret", own, text(properties, "secretName"), Set.of("tls.crt", "tls.key"));
    } else if (type == Certificate.IssuerRef.class && "Issuer".equals(properties.get("kind"))) {
      reference = new Reference("Issuer", own, text(properties, "name"), Set.of());
    } else if (type == VirtualMachine.KernelContainer.class) {
      reference =
          new Reference(
              "Secret", own, text(properties, "imagePullSecret"), Set.of(".dockerconfigjson"));
    }
    return Optional.ofNullable(reference);
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
