package dev.pvcpopulators.it.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the metrics of this project, without those of libraries, from the text format of
/// Prometheus or OpenMetrics.
final class MetricTable {
  private static final Pattern OURS =
      Pattern.compile("(?m)^# (HELP|TYPE) ((?:pvc_populator|iscsi)_\\w+) (.+)$");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

  /// The suffix of a counter's samples; OpenMetrics omits the suffix in the line with the type.
  private static final String TOTAL = "_total";

  private MetricTable() {}

  /// Returns a row per metric, ordered by name: name and labels, type, meaning.
  static List<List<String>> of(String exposition) {
    Map<String, String> types = new TreeMap<>();
    Map<String, String> meanings = new TreeMap<>();
    for (Matcher line = OURS.matcher(exposition); line.find(); ) {
      (line.group(1).equals("TYPE") ? types : meanings).put(line.group(2), line.group(3));
    }
    List<List<String>> rows = new ArrayList<>();
    types.forEach((name, type) -> {
      String sample = type.equals("counter") && !name.endsWith(TOTAL) ? name + TOTAL : name;
      String metric = "`" + sample + labels(exposition, sample) + "`";
      rows.add(List.of(metric, type, meanings.getOrDefault(name, "")));
    });
    return rows;
  }

  private static String labels(String exposition, String sample) {
    TreeSet<String> labels = new TreeSet<>();
    Matcher samples =
        Pattern.compile("(?m)^" + sample + "(?:_count|_sum)?\\{([^}]*)}").matcher(exposition);
    while (samples.find()) {
      LABEL.matcher(samples.group(1)).results().forEach(label -> labels.add(label.group(1)));
    }
    return labels.isEmpty() ? "" : "{" + String.join(",", labels) + "}";
  }
}
