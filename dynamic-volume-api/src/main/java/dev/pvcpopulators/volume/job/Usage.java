package dev.pvcpopulators.volume.job;

import dev.pvcpopulators.volume.settings.PopulatorSettings;
import dev.pvcpopulators.volume.settings.Setting;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/// The text of `--help`, with every setting as the interfaces declare it.
final class Usage {
  private static final int WIDTH = 100;
  private static final String INDENT = "        ";

  private Usage() {}

  static String of(Service service) {
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put("--once", "make the volume, exit with the failure's code (sysexits.h); 0 is ready");
    service.flags().forEach(flag -> flags.put(flag.name(), flag.meaning()));
    flags.put("--help", "show this");
    int width = flags.keySet().stream().mapToInt(String::length).max().orElse(0);

    StringBuilder text = new StringBuilder();
    text.append("Usage: ").append(service.name());
    text.append(" [").append(String.join(" | ", flags.keySet())).append("]\n\n");
    wrap(text, "", service.summary());
    text.append('\n');
    flags.forEach((name, meaning) ->
        text.append("  ")
            .append(name)
            .append(" ".repeat(width - name.length() + 2))
            .append(meaning)
            .append('\n'));
    text.append("\nSettings (environment variables):\n\n");
    Stream.concat(service.settings().stream(), Stream.of(PopulatorSettings.class))
        .flatMap(mapping -> Setting.of(mapping).stream())
        .forEach(setting -> {
          text.append("  ").append(setting.variable());
          if (setting.fallback() != null) {
            text.append(" (").append(setting.fallback()).append(')');
          }
          text.append('\n');
          wrap(text, INDENT, setting.meaning());
        });
    text.append("\nHTTP: QUARKUS_HTTP_HOST, QUARKUS_HTTP_PORT and what else Quarkus has.\n");
    return text.toString();
  }

  private static void wrap(StringBuilder text, String indent, String words) {
    StringBuilder line = new StringBuilder(indent);
    for (String word : words.split(" ", -1)) {
      if (line.length() + word.length() + 1 > WIDTH) {
        text.append(line.toString().stripTrailing()).append('\n');
        line = new StringBuilder(indent);
      }
      line.append(word).append(' ');
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }
}
