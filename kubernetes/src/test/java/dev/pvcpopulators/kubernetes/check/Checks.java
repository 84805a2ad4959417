package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.MalformedManifestException;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// All checks of a rendering, by the names that the tests show.
public final class Checks {
  private static final Check FIELDS = new FieldRules();

  public static final Map<String, Check> ALL = all();

  private Checks() {}

  /// Returns the faults of a stream of YAML documents, including syntax errors. If the check
  /// `fields` finds a fault, no other check runs.
  public static List<String> faults(String name, String yaml, String readme) {
    try {
      Rendering rendering = Rendering.of(name, yaml);
      Surroundings surroundings = Surroundings.of(List.of(rendering), readme);
      List<String> fields = FIELDS.faults(rendering, surroundings);
      if (!fields.isEmpty()) {
        return fields;
      }
      return ALL.values().stream()
          .flatMap(check -> check.faults(rendering, surroundings).stream())
          .toList();
    } catch (MalformedManifestException e) {
      return List.of(String.valueOf(e.getMessage()));
    }
  }

  private static Map<String, Check> all() {
    Map<String, Check> all = new LinkedHashMap<>();
    all.put("fields", FIELDS);
    all.put("pod security", new PodSecurity());
    all.put("hardening", new Hardening());
    all.put("images", new Images());
    all.put("settings", new SettingsCheck());
    all.put("ports and probes", new Ports());
    all.put("exit codes", new ExitCodes());
    all.put("volumes", new Volumes());
    all.put("one writer", new OneWriter());
    all.put("references", new References());
    all.put("selectors", new Selectors());
    all.put("network policies", new NetworkPolicies());
    all.put("egress", new Egress());
    all.put("callers", new Callers());
    all.put("token review", new TokenReviewAccess());
    all.put("operator's rights", new OperatorRights());
    all.put("iSCSI volumes", new IscsiVolumes());
    all.put("own names", new OwnNames());
    all.put("ingress rules", new IngressRules());
    all.put("routes", new Routes());
    return all;
  }
}
