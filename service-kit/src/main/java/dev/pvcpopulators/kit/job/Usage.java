package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.settings.Setting;
import dev.pvcpopulators.kit.text.LineWrapping;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The text of `--help`: at most one screen of 24 lines and 80 columns.
final class Usage {
  private static final int COLUMNS = 80;
  private static final String INDENT = "  ";
  private static final String GAP = "  ";

  private Usage() {}

  static String of(Service service) {
    List<String> lines = new ArrayList<>();
    String flag = service.flags().isEmpty() ? "" : " | FLAG";
    lines.add("Usage: " + service.name() + " [--once" + flag + "] [--quiet | --json]");
    lines.addAll(LineWrapping.wrap(service.summary(), "", COLUMNS));
    lines.add("");
    lines.addAll(table(flags(service)));
    lines.add("");
    lines.add("Settings used most, environment variables; in parentheses the defaults:");
    lines.addAll(table(settings(service)));
    lines.add("");
    lines.add("Examples:");
    service.guide().examples().forEach(line -> lines.add(INDENT + line));
    return String.join("\n", lines);
  }

  private static Map<String, String> flags(Service service) {
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put(CommandLine.ONCE, "makes the volume; exits with 0 or the failure's code");
    service.flags().forEach(flag -> flags.put(flag.name(), flag.meaning()));
    flags.put(CommandLine.QUIET, "of a job: prints only errors");
    flags.put(CommandLine.JSON, "of a job: prints JSON, one object per line");
    flags.put(CommandLine.VERSION, "prints the name and version");
    flags.put(CommandLine.HELP + " " + CommandLine.SETTINGS_TOPIC, "prints all settings");
    return flags;
  }

  private static Map<String, String> settings(Service service) {
    Map<String, Setting> known =
        Stream.concat(service.settings().stream(), Stream.of(PopulatorSettings.class))
            .flatMap(mapping -> Setting.of(mapping).stream())
            .collect(Collectors.toMap(Setting::variable, Function.identity()));
    Map<String, String> often = new LinkedHashMap<>();
    for (Service.Often setting : service.guide().often()) {
      Setting declared = known.get(setting.variable());
      if (declared == null) {
        throw new IllegalArgumentException(setting.variable() + " is no setting");
      }
      String fallback = declared.fallback() == null ? "" : " (" + declared.fallback() + ")";
      often.put(setting.variable(), setting.words() + fallback);
    }
    return often;
  }

  private static List<String> table(Map<String, String> rows) {
    int width = rows.keySet().stream().mapToInt(String::length).max().orElse(0);
    return rows.entrySet().stream()
        .map(row ->
            INDENT
                + row.getKey()
                + " ".repeat(width - row.getKey().length())
                + GAP
                + row.getValue())
        .toList();
  }
}
