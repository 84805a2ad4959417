package dev.pvcpopulators.volume.job;

import dev.pvcpopulators.volume.settings.Described;
import dev.pvcpopulators.volume.settings.PopulatorSettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import io.smallrye.config.WithParentName;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/// The text of `--help`, with every setting as the interfaces declare it.
final class Usage {
  private static final int WIDTH = 100;
  private static final String INDENT = "        ";

  private record Row(String variable, String fallback, String meaning) {}

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
        .flatMap(type -> rows(type).stream().sorted(Comparator.comparing(Row::variable)))
        .forEach(row -> {
          text.append("  ").append(row.variable()).append(row.fallback()).append('\n');
          wrap(text, INDENT, row.meaning());
        });
    text.append("\nHTTP: QUARKUS_HTTP_HOST, QUARKUS_HTTP_PORT and what else Quarkus has.\n");
    return text.toString();
  }

  private static List<Row> rows(Class<?> type) {
    ConfigMapping mapping = type.getAnnotation(ConfigMapping.class);
    if (mapping == null) {
      throw new IllegalArgumentException(type + " has no @ConfigMapping");
    }
    return rows(mapping.prefix(), type);
  }

  private static List<Row> rows(String prefix, Class<?> type) {
    List<Row> rows = new ArrayList<>();
    for (Method method : type.getMethods()) {
      WithName name = method.getAnnotation(WithName.class);
      String key = prefix + "." + (name == null ? kebab(method.getName()) : name.value());
      Described described = method.getAnnotation(Described.class);
      if (described != null) {
        WithDefault fallback = method.getAnnotation(WithDefault.class);
        String shown = fallback == null ? "" : " (" + fallback.value() + ")";
        rows.add(new Row(variable(key), shown, described.value()));
      } else if (method.getReturnType().isInterface()) {
        boolean here = method.isAnnotationPresent(WithParentName.class);
        rows.addAll(rows(here ? prefix : key, method.getReturnType()));
      }
    }
    return rows;
  }

  private static String kebab(String name) {
    return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
  }

  private static String variable(String key) {
    return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
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
