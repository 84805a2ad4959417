package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Services;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.settings.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks that the tables in `docs/operations/` agree with the code. `make docs` writes the tables.
/// People write the last column of the tables of failures, and `make docs` keeps this column.
final class OperationsPagesTest {
  private static final boolean WRITE = Boolean.getBoolean("docs.write");
  private static final List<String> SETTING_HEAD =
      List.of("Variable", "Default", "Values", "Meaning");
  private static final List<String> FLAG_HEAD = List.of("Argument", "Does");
  private static final List<String> METRIC_HEAD = List.of("Metric", "Type", "Meaning");
  private static final List<String> FAILURE_HEAD =
      List.of("Type", "HTTP", "Exit", "Retry", "Reason, and what to do");

  /// The beginning of the first cell in the row of a metric that all services have.
  private static final String SHARED_METRIC = "`pvc_populator_";

  private static final List<List<String>> SHARED_ARGUMENTS =
      List.of(
          List.of("", "answers requests until the service is stopped"),
          List.of("`--once`", "makes the volume as a Job; exits with 0 or the failure's code"),
          List.of("`--quiet`", "of a Job: prints only errors"),
          List.of("`--json`", "of a Job: prints progress and result as JSON, one object per line"),
          List.of("`--version`", "prints the service's name and version"),
          List.of("`--help`", "prints arguments, the most used settings, and examples"),
          List.of("`--help settings`", "prints all settings"));

  private static final int ADVICE = FAILURE_HEAD.size() - 1;

  /// A path of the API in the service's OpenAPI description.
  private static final Pattern DESCRIBED_PATH = Pattern.compile("(?m)^  (/[^:]*):");

  static Stream<dev.pvcpopulators.kit.job.Service> services() {
    return Services.names().stream().map(OperationsPagesTest::service);
  }

  private static dev.pvcpopulators.kit.job.Service service(String name) {
    String main = "dev.pvcpopulators." + Services.packageOf(name) + ".Main";
    try {
      return (dev.pvcpopulators.kit.job.Service) Class.forName(main).getField("SERVICE").get(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("The service " + name + " has no " + main + ".SERVICE", e);
    }
  }

  @ParameterizedTest
  @Tag("tools")
  @MethodSource("services")
  void eachPageAgreesWithTheCode(dev.pvcpopulators.kit.job.Service service, @TempDir Path volume)
      throws IOException, InterruptedException, ReflectiveOperationException {
    Document page =
        Document.read(Command.root().resolve("docs/operations/" + service.name() + ".md"));
    Document made =
        page.with("settings", table(SETTING_HEAD, settings(service.settings())))
            .with("failures", table(FAILURE_HEAD, failures(page)));
    made = withOwn(made, "arguments", FLAG_HEAD, arguments(service));
    try (Service running = failed(service.name(), volume)) {
      List<List<String>> own = new ArrayList<>(metrics(running));
      List<List<String>> shared =
          own.stream().filter(row -> row.getFirst().startsWith(SHARED_METRIC)).toList();
      own.removeAll(shared);
      made = withOwn(made, "metrics", METRIC_HEAD, own);
      Document common = common();
      writeOrCompare(common, common.with("shared-metrics", table(METRIC_HEAD, shared)));
      for (String path : describedPaths(running)) {
        assertTrue(
            common.text().contains("`" + path + "`"),
            () -> common.path() + " does not describe " + path);
      }
    }
    writeOrCompare(page, made);
  }

  /// Returns the page with a table of the service's own rows. If there are no rows, returns the
  /// page unchanged.
  private static Document withOwn(
      Document page, String section, List<String> head, List<List<String>> rows) {
    return rows.isEmpty() ? page : page.with(section, table(head, rows));
  }

  @Test
  void theCommonPageHasWhatIsShared() throws IOException {
    Document page = common();
    writeOrCompare(
        page,
        page.with("shared-arguments", table(FLAG_HEAD, SHARED_ARGUMENTS))
            .with(
                "shared-settings",
                table(SETTING_HEAD, settings(List.of(PopulatorSettings.class)))));
  }

  private static Document common() throws IOException {
    return Document.read(Command.root().resolve("docs/operations/all-services.md"));
  }

  @Test
  void theContractHasTheFailures() throws IOException, ReflectiveOperationException {
    Document page = Document.read(Command.root().resolve("dynamic-volume-api/README.md"));
    List<String> head = FAILURE_HEAD.subList(0, ADVICE);
    writeOrCompare(page, page.with("failures", table(head, FailureTable.rows())));
  }

  private static void writeOrCompare(Document page, Document made) {
    if (WRITE) {
      made.write();
    } else {
      assertEquals(
          made.text(), page.text(), () -> page.path() + " is not up to date: run make docs");
    }
  }

  /// Starts a service and lets the creation of a volume fail, so that all metrics exist.
  private static Service failed(String name, Path volume) throws IOException, InterruptedException {
    Launch launch = Launch.of(name, volume);
    if (Launch.takesImages(name)) {
      launch = launch.with(Launch.prefix(name) + "IMAGE", "oci:" + volume.resolve("missing"));
    }
    Service running = launch.with("REGISTRY_STREAM_ISCSI_PORT", "0").start();
    Answer answer =
        name.equals("http-upload")
            ? running.http().put("/upload?format=qcow2", new byte[1])
            : running.http().put("/volume", new byte[0]);
    answer.problem();
    // The request for events creates the metric of event streams.
    try (Stream<String> events = running.http().events("/volume/status").join()) {
      assertTrue(events.findFirst().isPresent(), running::log);
    }
    return running;
  }

  private static List<List<String>> arguments(dev.pvcpopulators.kit.job.Service service) {
    return service.flags().stream()
        .map(flag -> List.of("`" + flag.name() + "`", flag.meaning()))
        .toList();
  }

  private static List<List<String>> settings(List<Class<?>> mappings) {
    List<List<String>> rows = new ArrayList<>();
    for (Class<?> mapping : mappings) {
      for (Setting setting : Setting.of(mapping)) {
        String fallback = setting.fallback();
        rows.add(
            List.of(
                "`" + setting.variable() + "`",
                fallback == null ? "" : "`" + fallback + "`",
                setting.values(),
                setting.meaning().replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")));
      }
    }
    return rows;
  }

  private static List<List<String>> failures(Document page) throws ReflectiveOperationException {
    Map<String, String> advice = new HashMap<>();
    for (List<String> row : page.table("failures")) {
      advice.put(row.getFirst(), row.getLast());
    }
    List<List<String>> rows = new ArrayList<>();
    for (List<String> failure : FailureTable.rows()) {
      List<String> row = new ArrayList<>(failure);
      row.add(ADVICE, advice.getOrDefault(failure.getFirst(), ""));
      assertTrue(
          WRITE || !row.getLast().isEmpty(),
          () -> page.path() + ": explain " + failure.getFirst() + ", and what to do");
      rows.add(row);
    }
    return rows;
  }

  private static List<List<String>> metrics(Service running)
      throws IOException, InterruptedException {
    List<List<String>> rows = MetricTable.of(running.http().get("/q/metrics").expect(200).text());
    for (List<String> row : rows) {
      assertTrue(!row.getLast().isBlank(), () -> row.getFirst() + " has no description");
    }
    return rows;
  }

  private static Set<String> describedPaths(Service running)
      throws IOException, InterruptedException {
    String description = running.http().get("/q/openapi").expect(200).text();
    Set<String> paths = new TreeSet<>();
    DESCRIBED_PATH
        .matcher(description)
        .results()
        .map(MatchResult::group)
        .forEach(line -> paths.add(line.strip().replaceFirst(":$", "")));
    assertTrue(!paths.isEmpty(), description);
    return paths;
  }

  private static List<List<String>> table(List<String> head, List<List<String>> rows) {
    List<List<String>> table = new ArrayList<>();
    table.add(head);
    table.add(head.stream().map(_ -> "---").toList());
    table.addAll(rows);
    return table;
  }
}
