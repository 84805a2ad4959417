package dev.pvcpopulators.kit.settings;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.PropertiesConfigSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.config.spi.ConfigSource;

/// Derives Quarkus settings from our settings. If a certificate and a key are set, HTTPS replaces
/// HTTP. A job listens only on its status port, unless the application's defaults or the user
/// enable HTTP.
public final class DerivedSettings implements ConfigSourceFactory {
  /// An ordinal above an application's own defaults and below environment variables and system
  /// properties.
  private static final int TLS_ORDINAL = 275;

  /// An ordinal below an application's own defaults. An application whose job needs HTTP can enable
  /// HTTP in its own defaults.
  private static final int JOB_ORDINAL = 120;

  /// An ordinal above environment variables, so that a job's status port replaces the port in
  /// `QUARKUS_HTTP_PORT`.
  private static final int STATUS_ORDINAL = 350;

  private static final String LISTENS = "quarkus.http.host-enabled";

  @Override
  public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
    return List.of(
        new PropertiesConfigSource(tls(context), "populator-tls", TLS_ORDINAL),
        new PropertiesConfigSource(job(context), "populator-job", JOB_ORDINAL),
        new PropertiesConfigSource(status(context), "populator-status", STATUS_ORDINAL));
  }

  private static Map<String, String> tls(ConfigSourceContext context) {
    Map<String, String> derived = new HashMap<>();
    Optional<String> certificate = value(context, "populator.tls.certificate");
    Optional<String> key = value(context, "populator.tls.key");
    if (certificate.isPresent() && key.isPresent()) {
      derived.put("quarkus.tls.key-store.pem.0.cert", escaped(certificate.get()));
      derived.put("quarkus.tls.key-store.pem.0.key", escaped(key.get()));
      derived.put(
          "quarkus.http.ssl-port",
          statusPort(context).or(() -> value(context, "populator.tls.port")).orElse("8443"));
      derived.put("quarkus.http.insecure-requests", "disabled");
    }
    return derived;
  }

  private static Map<String, String> job(ConfigSourceContext context) {
    return isJob(context) ? Map.of(LISTENS, "false") : Map.of();
  }

  private static Map<String, String> status(ConfigSourceContext context) {
    return statusPort(context)
        .map(port -> Map.of(LISTENS, "true", "quarkus.http.port", port))
        .orElse(Map.of());
  }

  /// Returns the status port of a job; empty if the job has none, or if the process is a service,
  /// for which [SharedRules] rejects this setting.
  private static Optional<String> statusPort(ConfigSourceContext context) {
    return isJob(context) ? value(context, "populator.status-port") : Optional.empty();
  }

  private static boolean isJob(ConfigSourceContext context) {
    return value(context, "populator.mode").filter("job"::equalsIgnoreCase).isPresent();
  }

  /// Escapes a value of our settings that is copied into a setting of Quarkus, because Quarkus
  /// expands an unescaped `${…}` as an expression.
  private static String escaped(String literal) {
    return literal.replace("$", "\\$");
  }

  private static Optional<String> value(ConfigSourceContext context, String name) {
    ConfigValue value = context.getValue(name);
    return Optional.ofNullable(value == null ? null : value.getValue())
        .filter(text -> !text.isBlank());
  }
}
