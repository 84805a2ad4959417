package dev.pvcpopulators.kubernetes.manifest;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Builds the environment of a container as Kubernetes does. Constants replace the values that are
/// known only in a cluster.
public final class Environment {
  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\$|\\$\\(([-._a-zA-Z][-._a-zA-Z0-9]*)\\)");

  /// The value of a variable that comes from a Secret or a ConfigMap. The text is long enough for a
  /// CHAP secret (RFC 7143, section 9.2.1), and is not a number.
  private static final String FROM_SECRET = "from-a-secret-0123";

  private Environment() {}

  public static Map<String, String> of(Container container) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (EnvVar variable : container.getEnv()) {
      environment.put(
          variable.getName(),
          variable.getValueFrom() == null
              ? expand(variable.getValue() == null ? "" : variable.getValue(), environment)
              : example(variable.getValueFrom()));
    }
    return environment;
  }

  /// Expands variables (core/v1 EnvVar). `$(NAME)` becomes the value of an earlier variable, and
  /// `$$` becomes `$`. An unknown reference remains unchanged.
  static String expand(String text, Map<String, String> before) {
    Matcher matcher = REFERENCE.matcher(text);
    StringBuilder expanded = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group(1);
      String value = name == null ? "$" : before.getOrDefault(name, matcher.group());
      matcher.appendReplacement(expanded, Matcher.quoteReplacement(value));
    }
    return matcher.appendTail(expanded).toString();
  }

  private static String example(EnvVarSource source) {
    if (source.getFieldRef() != null) {
      return switch (source.getFieldRef().getFieldPath()) {
        case "status.podIP", "status.podIPs", "status.hostIP" -> "10.1.2.3";
        default -> "of-the-pod";
      };
    }
    return source.getResourceFieldRef() == null ? FROM_SECRET : "1";
  }
}
