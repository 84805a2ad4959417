package dev.pvcpopulators.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a service says of its own metrics, in the text format of Prometheus.
final class MetricTable {
  private static final Pattern OURS =
      Pattern.compile("(?m)^# (HELP|TYPE) ((?:pvc_populator|iscsi)_\\w+) (.+)$");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

  private MetricTable() {}

  /// One row a metric, by name: name and labels, type, meaning.
  static List<List<String>> of(String exposition) {
    Map<String, String> types = new TreeMap<>();
    Map<String, String> meanings = new TreeMap<>();
    for (Matcher line = OURS.matcher(exposition); line.find(); ) {
      (line.group(1).equals("TYPE") ? types : meanings).put(line.group(2), line.group(3));
    }
    List<List<String>> rows = new ArrayList<>();
    types.forEach((name, type) ->
        rows.add(
            List.of(
                "`" + name + labels(exposition, name) + "`",
                type,
                meanings.getOrDefault(name, ""))));
    return rows;
  }

  private static String labels(String exposition, String name) {
    TreeSet<String> labels = new TreeSet<>();
    Matcher samples =
        Pattern.compile("(?m)^" + name + "(?:_count|_sum)?\\{([^}]*)}").matcher(exposition);
    while (samples.find()) {
      LABEL.matcher(samples.group(1)).results().forEach(label -> labels.add(label.group(1)));
    }
    return labels.isEmpty() ? "" : "{" + String.join(",", labels) + "}";
  }
}
