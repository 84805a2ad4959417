package dev.pvcpopulators.kubernetes.manifest;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The syntax of names and numbers in Kubernetes
/// (kubernetes.io/docs/concepts/overview/working-with-objects, "Object Names and IDs" and "Labels
/// and Selectors").
public enum NameSyntax {
  /// An RFC 1123 label.
  LABEL("[a-z0-9]([-a-z0-9]*[a-z0-9])?", 63),
  /// An RFC 1123 subdomain.
  SUBDOMAIN("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", 253),
  /// An IANA service name (RFC 6335, section 5.1). The name has at least one letter, and has no two
  /// consecutive hyphens.
  PORT_NAME("(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]*[a-z0-9])?", 15),
  /// The name of an environment variable (core/v1 EnvVar), without the additional characters that
  /// only newer versions of Kubernetes accept.
  ENV_NAME("[-._a-zA-Z][-._a-zA-Z0-9]*", 253),
  /// The key of a label: an optional prefix, which is a subdomain, and a name.
  LABEL_KEY("([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", 317),
  /// The value of a label; may be empty.
  LABEL_VALUE("([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?", 63),
  /// A quantity (api/resource Quantity).
  QUANTITY("[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?", 253);

  private final Pattern pattern;
  private final int longest;

  NameSyntax(String pattern, int longest) {
    this.pattern = Pattern.compile(pattern);
    this.longest = longest;
  }

  /// Returns the syntax for a word of the table `field-rules.txt`, such as `port-name`.
  public static NameSyntax of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /// Returns a description of the expected syntax, or null if the text has this syntax.
  public @Nullable String fault(String text) {
    return text.length() <= longest && pattern.matcher(text).matches()
        ? null
        : "a " + name().toLowerCase(Locale.ROOT).replace('_', ' ') + " like " + pattern;
  }

  public static @Nullable String labelsFault(Map<?, ?> labels) {
    for (Map.Entry<?, ?> label : labels.entrySet()) {
      String fault = LABEL_KEY.fault(label.getKey().toString());
      fault = fault == null ? LABEL_VALUE.fault(label.getValue().toString()) : fault;
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  public static @Nullable String annotationsFault(Map<?, ?> annotations) {
    return annotations.keySet().stream()
        .map(key -> LABEL_KEY.fault(key.toString()))
        .filter(fault -> fault != null)
        .findFirst()
        .orElse(null);
  }
}
