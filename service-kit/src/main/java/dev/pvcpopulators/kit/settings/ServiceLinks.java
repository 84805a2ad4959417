package dev.pvcpopulators.kit.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/// Recognises the variables that Kubernetes puts into every container for the Services of the
/// namespace, unless `enableServiceLinks` is false. For example, a Service `registry-copy` adds
/// `REGISTRY_COPY_PORT`. These variables are not settings, regardless of the Service's name
/// (Kubernetes documentation, "Accessing the Service", environment variables).
public final class ServiceLinks {
  private static final Pattern NAMES =
      Pattern.compile(
          ".+_SERVICE_HOST|.+_SERVICE_PORT(_[A-Z0-9_]+)?"
              + "|.+_PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");

  private static final Pattern ADDRESS = Pattern.compile("(tcp|udp|sctp)://\\S+:[0-9]+");

  private ServiceLinks() {}

  /// Returns whether a variable's name or value shows that Kubernetes set the variable for a
  /// Service.
  static boolean has(String variable, String value) {
    return NAMES.matcher(variable).matches() || isAddress(variable, value);
  }

  /// Restores the defaults of settings whose variables were set by Kubernetes and not by a user.
  /// For example, a Service `registry-stream-iscsi` adds the variable `REGISTRY_STREAM_ISCSI_PORT`,
  /// which is also the name of a setting. Call this before configuration is read.
  public static void hideFrom(List<Class<?>> mappings) {
    List<String> links =
        System.getenv().entrySet().stream()
            .filter(variable -> isAddress(variable.getKey(), variable.getValue()))
            .map(Map.Entry::getKey)
            .toList();
    if (links.isEmpty()) {
      return;
    }
    List<Class<?>> all = new ArrayList<>(mappings);
    all.add(PopulatorSettings.class);
    KnownSettings known = KnownSettings.of(all);
    links.stream()
        .flatMap(variable -> known.match(variable).stream())
        .filter(setting -> System.getProperty(setting.property()) == null)
        .forEach(setting ->
            System.setProperty(
                setting.property(),
                Objects.requireNonNullElse(Setting.of(setting.setting()).fallback(), "")));
  }

  /// Returns whether a variable holds the address of a Service, although its name may also be the
  /// name of a setting: `REGISTRY_STREAM_ISCSI_PORT` with `tcp://10.96.0.7:3260` belongs to a
  /// Service `registry-stream-iscsi`.
  private static boolean isAddress(String variable, String value) {
    return variable.endsWith("_PORT") && ADDRESS.matcher(value).matches();
  }
}
