package dev.pvcpopulators.kubernetes.manifest;

import dev.pvcpopulators.kubernetes.foreign.Certificate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The objects that a rendering may use in addition to its own objects. A user also applies the
/// other renderings, and creates further objects as the README describes.
///
/// @param renderings all renderings, including the one under test
/// @param made Secrets and ConfigMaps that are in no rendering. A user, cert-manager or Kubernetes
///   creates these objects.
public record Surroundings(List<Rendering> renderings, List<Made> made) {
  private static final Pattern COMMAND =
      Pattern.compile("create (secret (generic|tls|docker-registry)|configmap) (\\S+)([^\\n]*)");
  private static final Pattern KEY = Pattern.compile("--from-(literal|file)=(\\S+)");

  /// The ConfigMap that Kubernetes creates in every namespace
  /// (kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin).
  private static final Made ROOT_AUTHORITY =
      new Made("ConfigMap", "kube-root-ca.crt", Set.of("ca.crt"));

  /// A Secret or a ConfigMap.
  ///
  /// @param keys the keys of the Secret or ConfigMap
  record Made(String kind, String name, Set<String> keys) {
    Made {
      keys = Set.copyOf(keys);
    }
  }

  public Surroundings {
    renderings = List.copyOf(renderings);
    made = List.copyOf(made);
  }

  /// Returns the renderings with the additional objects. The `kubectl create` commands in the
  /// README create some of these objects. cert-manager creates a Secret for each rendered
  /// Certificate. In the README, a backslash at the end of a line continues the command.
  public static Surroundings of(List<Rendering> renderings, String readme) {
    Set<Made> made = new HashSet<>(Set.of(ROOT_AUTHORITY));
    Matcher command = COMMAND.matcher(readme.replaceAll("\\\\\\n\\s*", " "));
    while (command.find()) {
      String kind = command.group(1).equals("configmap") ? "ConfigMap" : "Secret";
      made.add(new Made(kind, command.group(3), keys(command)));
    }
    renderings.stream()
        .flatMap(rendering -> rendering.of(Certificate.class))
        .map(resource -> ((Certificate) resource.model()).spec().secretName())
        // cert-manager writes these keys into the Secret (cert-manager.io/docs/usage/certificate,
        // "Target Secret").
        .forEach(
            name -> made.add(new Made("Secret", name, Set.of("tls.crt", "tls.key", "ca.crt"))));
    return new Surroundings(renderings, List.copyOf(made));
  }

  /// Returns the keys of a Secret or ConfigMap of [#made]. If several commands create the object,
  /// returns the keys of all these commands. Returns empty if the object does not exist or has no
  /// keys.
  public Optional<Set<String>> keys(String kind, String name) {
    Set<String> keys = new HashSet<>();
    made.stream()
        .filter(one -> one.kind().equals(kind) && one.name().equals(name))
        .forEach(one -> keys.addAll(one.keys()));
    return keys.isEmpty() ? Optional.empty() : Optional.of(keys);
  }

  /// Returns whether any rendering has this resource.
  public boolean has(String kind, String namespace, String name) {
    return renderings.stream().anyMatch(rendering -> rendering.has(kind, namespace, name));
  }

  private static Set<String> keys(Matcher command) {
    String type = command.group(2) == null ? "" : command.group(2);
    Set<String> keys = new HashSet<>();
    switch (type) {
      case "tls" -> keys.addAll(Set.of("tls.crt", "tls.key"));
      case "docker-registry" -> keys.add(".dockerconfigjson");
      default -> {
        Matcher key = KEY.matcher(command.group(4));
        while (key.find()) {
          String value = key.group(2);
          boolean named = value.contains("=");
          String[] path = (named ? value.substring(0, value.indexOf('=')) : value).split("/", -1);
          keys.add(Arrays.asList(path).getLast());
        }
      }
    }
    return keys;
  }
}
