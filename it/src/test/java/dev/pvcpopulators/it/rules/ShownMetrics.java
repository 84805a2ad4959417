package dev.pvcpopulators.it.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Checks that the metrics and labels of a Grafana dashboard or of Prometheus rules exist in a
/// Prometheus process.
final class ShownMetrics {
  private static final Pattern LABEL_VALUES =
      Pattern.compile("label_values\\((.*),\\s*(\\w+)\\s*\\)");
  private static final Pattern LEGEND_LABEL = Pattern.compile("\\{\\{\\s*(\\w+)\\s*}}");
  private static final Pattern RULE_LABEL = Pattern.compile("\\$labels\\.(\\w+)");

  /// An expression, and the labels that its legend or annotations name.
  ///
  /// @param where the panel, variable or rule, for messages
  private record Shown(String where, String expression, Set<String> named) {}

  private final Prometheus prometheus;

  ShownMetrics(Prometheus prometheus) {
    this.prometheus = prometheus;
  }

  /// Returns a message for each missing metric or label of a dashboard.
  List<String> faultsOfDashboard(JsonNode dashboard) throws IOException, InterruptedException {
    List<Shown> all = new ArrayList<>();
    for (JsonNode panel : dashboard.path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        all.add(
            new Shown(
                panel.path("title").asText(),
                plain(target.path("expr").asText()),
                words(LEGEND_LABEL, target.path("legendFormat").asText())));
      }
    }
    for (JsonNode variable : dashboard.path("templating").path("list")) {
      Matcher values = LABEL_VALUES.matcher(variable.path("query").path("query").asText());
      if (values.matches()) {
        String name = "$" + variable.path("name").asText();
        all.add(new Shown(name, plain(values.group(1)), Set.of(values.group(2))));
      }
    }
    return faults(all);
  }

  /// Returns a message for each missing metric or label of rules.
  ///
  /// @param rules the rules as Prometheus reports them
  List<String> faultsOfRules(List<JsonNode> rules) throws IOException, InterruptedException {
    List<Shown> all = new ArrayList<>();
    for (JsonNode rule : rules) {
      Set<String> named = words(RULE_LABEL, rule.path("annotations").toString());
      all.add(new Shown(rule.path("name").asText(), rule.path("query").asText(), named));
    }
    return faults(all);
  }

  /// Replaces Grafana's variables.
  private static String plain(String expression) {
    return expression
        .replace("$__rate_interval", "1m")
        .replace("$__range", "1m")
        .replaceAll("\\$(namespace|service|pod)\\b", ".*");
  }

  private static Set<String> words(Pattern pattern, String text) {
    Set<String> words = new HashSet<>();
    pattern.matcher(text).results().forEach(match -> words.add(match.group(1)));
    return words;
  }

  private List<String> faults(List<Shown> all) throws IOException, InterruptedException {
    if (all.isEmpty()) {
      return List.of("There is no expression");
    }
    List<String> faults = new ArrayList<>();
    for (Shown shown : all) {
      Promql asked = Promql.of(shown.expression());
      Set<String> labels = new HashSet<>();
      if (asked.selectors().isEmpty()) {
        faults.add(shown.where() + ": no metric in " + shown.expression());
      }
      for (String selector : asked.selectors()) {
        List<JsonNode> series = prometheus.series(selector);
        if (series.isEmpty()) {
          faults.add(shown.where() + ": no service has " + selector);
        }
        series.forEach(one -> one.fieldNames().forEachRemaining(labels::add));
      }
      Set<String> wanted = new HashSet<>(asked.labels());
      wanted.addAll(shown.named());
      wanted.removeAll(labels);
      wanted.forEach(
          label -> faults.add(shown.where() + ": no label " + label + " in " + shown.expression()));
      // Prometheus checks the syntax and the types of the expression.
      var _ = prometheus.series(shown.expression());
    }
    return faults;
  }
}
