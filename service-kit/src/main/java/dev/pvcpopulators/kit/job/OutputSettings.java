package dev.pvcpopulators.kit.job;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.PropertiesConfigSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.config.spi.ConfigSource;

/// Configures logging to fit the rest of the output: a program may read a job's standard output,
/// and a person at a terminal needs a shorter log.
public final class OutputSettings implements ConfigSourceFactory {
  /// The property that [Launcher] sets if standard output is a terminal and no flag selects a job's
  /// output format. The property is not a setting for users.
  static final String TERMINAL = "standard-output-is-a-terminal";

  /// An ordinal that is higher than the ordinal of the defaults that all services share
  /// (`META-INF/microprofile-config.properties`). This ordinal is lower than the ordinals of a
  /// service's own defaults (`application.properties`) and of all user settings.
  private static final int ORDINAL = 120;

  private static final String FRAMEWORK_LEVEL = "quarkus.log.category.\"io.quarkus\".level";
  private static final String CONSOLE_LEVEL = "quarkus.log.console.level";
  private static final String CONSOLE_ERRORS = "quarkus.log.console.stderr";

  @Override
  public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
    Map<String, String> derived = new HashMap<>();
    boolean terminal = value(context, TERMINAL).equals("true");
    if (value(context, "populator.mode").equals("job")) {
      job(context, terminal, derived);
    } else if (terminal) {
      derived.put(FRAMEWORK_LEVEL, "WARN");
    }
    return List.of(new PropertiesConfigSource(derived, "populator-output", ORDINAL));
  }

  private static void job(
      ConfigSourceContext context, boolean terminal, Map<String, String> derived) {
    String output = value(context, "populator.output");
    switch (output) {
      case "json" -> derived.put(CONSOLE_ERRORS, "true");
      case "quiet" -> {
        derived.put(CONSOLE_ERRORS, "true");
        derived.put(CONSOLE_LEVEL, "ERROR");
      }
      case "lines" -> {}
      default -> {
        if (terminal) {
          derived.put(CONSOLE_LEVEL, "WARN");
          derived.put("quarkus.log.console.format", "%p: %s%e%n");
          derived.put("quarkus.console.color", "false");
        }
      }
    }
    if (!listens(context)) {
      // This job does not listen on a port. At the default level, Quarkus prints a long warning
      // about that.
      derived.put(FRAMEWORK_LEVEL, "WARN");
    }
  }

  /// Returns whether a setting of the application or of a user makes the job listen on a port;
  /// Quarkus's own default does not count.
  private static boolean listens(ConfigSourceContext context) {
    ConfigValue value = context.getValue("quarkus.http.host-enabled");
    return !value(context, "populator.status-port").isEmpty()
        || (value != null
            && value.getConfigSourceOrdinal() > ORDINAL
            && "true".equals(value.getValue()));
  }

  private static String value(ConfigSourceContext context, String name) {
    ConfigValue value = context.getValue(name);
    return value == null || value.getValue() == null
        ? ""
        : value.getValue().strip().toLowerCase(Locale.ROOT);
  }
}
