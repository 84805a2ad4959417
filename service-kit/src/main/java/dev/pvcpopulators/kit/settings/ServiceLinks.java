package dev.pvcpopulators.kit.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/// Recognises the variables that Kubernetes puts into every container for the Services of the
/// namespace, unless `enableServiceLinks` is false (Kubernetes documentation, "Accessing the
/// Service", environment variables). For example, a Service `registry-copy` adds
/// `REGISTRY_COPY_PORT`. Such a variable is not a setting, even if its name has the form of a
/// setting's name.
public final class ServiceLinks {
  private static final Pattern NAMES =
      Pattern.compile(
          ".+_SERVICE_HOST|.+_SERVICE_PORT(_[A-Z0-9_]+)?"
              + "|.+_PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");

  private static final Pattern ADDRESS = Pattern.compile("(tcp|udp|sctp)://\\S+:[0-9]+");

  private ServiceLinks() {}

  /// Returns whether a variable has the form of a variable that Kubernetes sets for a Service.
  static boolean has(String variable, String value) {
    return NAMES.matcher(variable).matches() || isAddress(variable, value);
  }

  /// Restores the default of each setting whose variable contains the address of a Service, unless
  /// a system property sets the setting. For example, a Service `registry-stream-iscsi` adds the
  /// variable `REGISTRY_STREAM_ISCSI_PORT`, which is also the variable of a setting. This method
  /// must be called before the configuration is read, because it sets system properties.
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

  /// Returns whether a variable contains the address of a Service. The name alone does not show
  /// this, because the variable of a setting can have the same name: `REGISTRY_STREAM_ISCSI_PORT`
  /// belongs to a Service `registry-stream-iscsi` if its value is `tcp://10.96.0.7:3260`.
  private static boolean isAddress(String variable, String value) {
    return variable.endsWith("_PORT") && ADDRESS.matcher(value).matches();
  }
}
