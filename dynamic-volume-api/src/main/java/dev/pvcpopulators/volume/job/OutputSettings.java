package dev.pvcpopulators.volume.job;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.PropertiesConfigSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.config.spi.ConfigSource;

/// Tells logging what else the process prints, and where: a job's standard output may be for a
/// program, and a person at a terminal is told in other words.
public final class OutputSettings implements ConfigSourceFactory {
  /// Set where standard output is a terminal; not one of a user's settings.
  static final String TERMINAL = "standard-output-is-a-terminal";

  /// Below an application's own defaults and all that a user sets, above our own defaults.
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
      // It listens to nobody, and would say so at length.
      derived.put(FRAMEWORK_LEVEL, "WARN");
    }
  }

  /// Whether the application or a user says that the job listens; Quarkus' own default does not
  /// count.
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
