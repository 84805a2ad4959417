package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.settings.Setting;
import dev.pvcpopulators.kit.text.LineWrapping;
import java.util.List;
import java.util.function.Predicate;

/// The text of `--help settings`: the settings of a service, in sections. Settings in a list are
/// left out, because their variables contain an index.
///
/// @param width the number of columns at which the meanings of the settings are wrapped
record SettingsPage(int width) {
  private static final String INDENT = "  ";
  private static final String DEEPER = "        ";

  /// Accepts the variables of the shared settings for HTTPS and for access to a service.
  private static final Predicate<String> ACCESS =
      variable -> variable.matches("POPULATOR_(AUTH|TOKEN|TLS).*");

  String of(Service service) {
    StringBuilder text = new StringBuilder("Settings of " + service.name());
    text.append(", environment variables; in parentheses the defaults.\n");
    List<Setting> own =
        service.settings().stream().flatMap(mapping -> Setting.of(mapping).stream()).toList();
    List<Setting> shared = Setting.of(PopulatorSettings.class);
    group(text, "Its own", own);
    group(text, "Of all services", matching(shared, ACCESS.negate()));
    group(text, "Shared by all services: HTTPS and access", matching(shared, ACCESS));
    text.append("\nHTTP\n\n");
    String http =
        "QUARKUS_HTTP_HOST (0.0.0.0), QUARKUS_HTTP_PORT (8080), and all other settings"
            + " of Quarkus";
    text.append(wrapped(http, INDENT));
    return text.toString().stripTrailing();
  }

  private static List<Setting> matching(List<Setting> settings, Predicate<String> variable) {
    return settings.stream().filter(setting -> variable.test(setting.variable())).toList();
  }

  private void group(StringBuilder text, String title, List<Setting> settings) {
    text.append('\n').append(title).append("\n\n");
    for (Setting setting : settings) {
      text.append(INDENT).append(setting.variable());
      if (setting.fallback() != null) {
        text.append(" (").append(setting.fallback()).append(')');
      }
      text.append('\n');
      text.append(wrapped(setting.meaning(), DEEPER));
    }
  }

  private String wrapped(String words, String indent) {
    return String.join("\n", LineWrapping.wrap(words, indent, width)) + "\n";
  }
}
