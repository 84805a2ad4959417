package dev.pvcpopulators.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.kubernetes.manifest.Project;
import dev.pvcpopulators.kubernetes.manifest.StrictYaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the alerts with promtool. Also checks that Grafana needs no plug-ins for the dashboards.
/// The tests in the module `it` check that the metrics exist.
class MonitoringTest {
  /// The files with alerts, each with its copy for the Prometheus operator.
  private static final Map<Path, Path> RULES =
      Map.of(
          Project.MANIFESTS.resolve("monitoring/alerts.yaml"),
          Project.MANIFESTS.resolve("components/prometheus-rule/prometheus-rule.yaml"),
          Project.MANIFESTS.resolve("monitoring/operator-alerts.yaml"),
          Project.MANIFESTS.resolve("components/operator-prometheus-rule/prometheus-rule.yaml"));

  /// The dashboards, with the variables that a user can set.
  private static final Map<Path, Set<String>> DASHBOARDS =
      Map.of(
          Project.MANIFESTS.resolve("monitoring/pvc-populators.json"),
          Set.of("datasource", "namespace", "service", "pod"),
          Project.MANIFESTS.resolve("monitoring/pvc-populators-operator.json"),
          Set.of("datasource"));

  private static final Path CASES =
      Project.MANIFESTS.resolve("src/test/resources/dev/pvcpopulators/kubernetes/alerts-test.yaml");
  private static final Path ADVICE = Project.MANIFESTS.resolveSibling("docs/operations/alerts.md");

  /// The types of panels that the dashboards may have. These types are part of Grafana, and need no
  /// plug-in.
  private static final Set<String> PANELS = Set.of("row", "stat", "timeseries", "bargauge");

  private static final int COLUMNS = 24;

  @TempDir Path directory;

  @Test
  @Tag("tools")
  void theAlertsAreValid() throws IOException {
    for (Path file : RULES.keySet()) {
      String said = promtool("check", "rules", file.toString()).ok().out();
      assertTrue(said.contains("SUCCESS: " + alerts(file).size() + " rules found"), said);
    }
  }

  @Test
  @Tag("tools")
  void eachAlertFiresWhenItShall() throws IOException {
    promtool("test", "rules", CASES.toString()).ok();
  }

  @Test
  void eachAlertHasACaseForFiringAndOneForSilence() throws IOException {
    Set<String> cases = new TreeSet<>();
    yaml(CASES).path("tests").forEach(one -> cases.add(one.path("name").asText()));
    Set<String> wanted = new TreeSet<>();
    for (JsonNode alert : alerts()) {
      wanted.add(name(alert) + " fires");
      wanted.add(name(alert) + " stays silent");
    }
    assertEquals(wanted, cases);
  }

  @Test
  @Tag("nightly")
  void alertsThatNeverFireAreNoticed() throws IOException {
    String said = withAll("vector(1) < 0");
    for (JsonNode alert : alerts()) {
      assertTrue(said.contains("exp: {alertname=\"" + name(alert) + "\"} 1E+00"), said);
    }
  }

  @Test
  @Tag("nightly")
  void alertsThatAlwaysFireAreNoticed() throws IOException {
    String said = withAll("vector(1)");
    assertEquals(alerts().size(), said.split("exp: nil", -1).length - 1, said);
  }

  /// Returns promtool's output for the test cases, after `mistake` has replaced the expression of
  /// each alert in `monitoring/alerts.yaml`.
  private String withAll(String mistake) throws IOException {
    JsonNode broken = yaml(Project.MANIFESTS.resolve("monitoring/alerts.yaml"));
    broken
        .path("groups")
        .forEach(
            group -> group.path("rules").forEach(rule -> ((ObjectNode) rule).put("expr", mistake)));
    // JSON is a subset of YAML.
    Path rules = Files.writeString(directory.resolve("broken.yaml"), broken.toString());
    String cases = Files.readString(CASES).replaceFirst("- \\.\\./.*", "- " + rules);
    Path test = Files.writeString(directory.resolve("cases.yaml"), cases);
    Command.Ran ran = promtool("test", "rules", test.toString());
    assertEquals(1, ran.status(), ran::toString);
    return ran.toString();
  }

  @Test
  void theOperatorsRuleIsTheSame() throws IOException {
    for (Map.Entry<Path, Path> rule : RULES.entrySet()) {
      assertEquals(
          yaml(rule.getKey()),
          yaml(rule.getValue()).path("spec"),
          "Make it anew: (sed /^spec:/q RULE; grep -v '^#' ALERTS | sed 's/^\\(.\\)/  \\1/')");
    }
  }

  @Test
  void eachAlertHasARemedy() throws IOException {
    String advice = Files.readString(ADVICE);
    List<String> missing = new ArrayList<>();
    for (JsonNode alert : alerts()) {
      JsonNode words = alert.path("annotations");
      String anchor = "docs/operations/alerts.md#" + name(alert).toLowerCase(Locale.ROOT);
      if (!words.path("runbook_url").asText().equals(anchor)
          || words.path("summary").asText().isBlank()
          || words.path("description").asText().isBlank()
          || !Set.of("critical", "warning").contains(alert.path("labels").path("severity").asText())
          || !advice.contains("\n### " + name(alert) + "\n")) {
        missing.add(name(alert));
      }
    }
    assertEquals(List.of(), missing);
    long headings = advice.lines().filter(line -> line.startsWith("### ")).count();
    assertEquals(alerts().size(), headings, "headings of alerts that are no more");
  }

  @Test
  void theDashboardsAreSound() throws IOException {
    for (Map.Entry<Path, Set<String>> dashboard : DASHBOARDS.entrySet()) {
      sound(dashboard.getKey(), dashboard.getValue());
    }
  }

  private static void sound(Path file, Set<String> expected) throws IOException {
    JsonNode dashboard = JsonMapper.builder().build().readTree(Files.readString(file));
    Set<String> variables = new HashSet<>();
    dashboard
        .path("templating")
        .path("list")
        .forEach(variable -> variables.add(variable.path("name").asText()));
    assertEquals(expected, variables);
    Set<Integer> ids = new HashSet<>();
    Set<List<Integer>> cells = new HashSet<>();
    List<String> faults = new ArrayList<>();
    for (JsonNode panel : dashboard.path("panels")) {
      String title = panel.path("title").asText();
      boolean row = panel.path("type").asText().equals("row");
      if (!PANELS.contains(panel.path("type").asText()) || !ids.add(panel.path("id").asInt())) {
        faults.add(title + ": a type that is not Grafana's own, or an id that is there twice");
      }
      if (!row
          && (panel.path("description").asText().isBlank() || panel.path("targets").isEmpty())) {
        faults.add(title + ": expected a description and something to show");
      }
      if (!row && !panel.path("datasource").path("uid").asText().equals("${datasource}")) {
        faults.add(title + ": expected the datasource that is chosen above");
      }
      faults.addAll(place(panel, cells));
    }
    assertEquals(List.of(), faults);
  }

  private static List<String> place(JsonNode panel, Set<List<Integer>> taken) {
    JsonNode place = panel.path("gridPos");
    List<String> faults = new ArrayList<>();
    if (place.path("x").asInt() + place.path("w").asInt() > COLUMNS) {
      faults.add(panel.path("title").asText() + " is wider than the page");
    }
    for (int x = 0; x < place.path("w").asInt(); x++) {
      for (int y = 0; y < place.path("h").asInt(); y++) {
        if (!taken.add(List.of(place.path("x").asInt() + x, place.path("y").asInt() + y))) {
          return List.of(panel.path("title").asText() + " lies over another panel");
        }
      }
    }
    return faults;
  }

  private static Command.Ran promtool(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    return Command.tried(command);
  }

  private static List<JsonNode> alerts() throws IOException {
    List<JsonNode> alerts = new ArrayList<>();
    for (Path file : RULES.keySet()) {
      alerts.addAll(alerts(file));
    }
    return alerts;
  }

  private static List<JsonNode> alerts(Path file) throws IOException {
    List<JsonNode> alerts = new ArrayList<>();
    yaml(file).path("groups").forEach(group -> group.path("rules").forEach(alerts::add));
    return alerts;
  }

  private static String name(JsonNode alert) {
    return alert.path("alert").asText();
  }

  private static JsonNode yaml(Path file) throws IOException {
    return StrictYaml.documents(Files.readString(file)).getFirst();
  }
}
