package dev.pvcpopulators.it.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.Http;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A Prometheus process that scrapes services on this host every second. [#close] kills the
/// process.
final class Prometheus implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final long POLL_MILLIS = 50;

  private final Process process;
  private final Path log;
  private final Http http;

  private Prometheus(Process process, Path log, int port) {
    this.process = process;
    this.log = log;
    this.http = new Http(URI.create("http://127.0.0.1:" + port));
  }

  /// Starts Prometheus.
  ///
  /// @param directory an empty directory for its data
  /// @param rules files with rules, which Prometheus evaluates every second
  /// @param services the base URLs of the services, by service name
  static Prometheus scraping(Path directory, List<Path> rules, Map<String, URI> services)
      throws IOException {
    StringBuilder config = new StringBuilder();
    config.append("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files:\n");
    rules.forEach(rule -> config.append("  - ").append(rule).append('\n'));
    // The targets have the labels that components/service-monitor adds to each sample.
    config.append("scrape_configs:\n  - job_name: pvc-populators\n    metrics_path: /q/metrics\n");
    config.append("    tls_config: {insecure_skip_verify: true}\n    static_configs:\n");
    services.forEach((name, uri) ->
        config.append(
            """
                  - targets: ["%s"]
                    labels:
                      __scheme__: %s
                      namespace: vm-disks
                      service: %s
                      pod: %s-0
                      container: %s
            """
                .formatted(uri.getAuthority(), uri.getScheme(), name, name, name)));
    Path file = Files.writeString(directory.resolve("prometheus.yml"), config);
    Path log = directory.resolve("log");
    int port = FreePort.any();
    Process process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + file,
                "--storage.tsdb.path=" + directory.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new Prometheus(process, log, port);
  }

  /// Waits until a query has the given number of results. Fails the test if Prometheus ends first,
  /// or after ten minutes.
  void await(String query, int results) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < end) {
      if (listens() && series(query).size() == results) {
        return;
      }
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new AssertionError("Prometheus has ended\n" + Files.readString(log));
      }
    }
    throw new AssertionError(
        "Time-out while waiting for " + results + " of " + query + "\n" + Files.readString(log));
  }

  private boolean listens() throws IOException {
    return Files.readString(log).contains("Server is ready to receive web requests");
  }

  /// Returns the labels of each result of a query. The list is empty if the result is not a vector.
  /// An invalid query fails the test.
  List<JsonNode> series(String query) throws IOException, InterruptedException {
    String encoded = URLEncoder.encode(query, StandardCharsets.UTF_8);
    Answer answer = http.get("/api/v1/query?query=" + encoded);
    if (answer.status() != 200) {
      throw new AssertionError(query + "\n" + answer);
    }
    List<JsonNode> series = new ArrayList<>();
    JsonNode data = answer.json().path("data");
    if (data.path("resultType").asText().equals("vector")) {
      data.path("result").forEach(result -> series.add(result.path("metric")));
    }
    return series;
  }

  /// Returns all rules with their state.
  List<JsonNode> rules() throws IOException, InterruptedException {
    List<JsonNode> rules = new ArrayList<>();
    http.get("/api/v1/rules")
        .expect(200)
        .json()
        .path("data")
        .path("groups")
        .forEach(group -> group.path("rules").forEach(rules::add));
    return rules;
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
