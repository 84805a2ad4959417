package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.PrivateAuthority;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Services;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks that the dashboard and the alerts use only metrics and labels that exist. Prometheus
/// scrapes all services and evaluates the expressions.
@Tag("tools")
final class MonitoringTest {
  private static final Path DASHBOARD =
      Command.root().resolve("kubernetes/monitoring/pvc-populators.json");
  private static final Path ALERTS = Command.root().resolve("kubernetes/monitoring/alerts.yaml");
  private static final String OURS = "(?m)^(pvc_populator|iscsi)_.*";

  private static final Seed SEED = Seed.of("MonitoringTest");

  private static final Map<String, Service> running = new LinkedHashMap<>();
  private static final Map<String, Http> clients = new LinkedHashMap<>();
  private static @TempDir Path directory;
  private static PrivateAuthority.Issued issued;
  private static Prometheus prometheus;

  @BeforeAll
  static void scrape() throws IOException, InterruptedException {
    PrivateAuthority authority = PrivateAuthority.in(directory, "authority");
    issued = authority.issue("server", "IP:127.0.0.1");
    for (String name : Services.names()) {
      Launch launch = Launch.of(name, Files.createDirectory(directory.resolve(name)));
      String image = "oci:" + directory.resolve("missing");
      if (Launch.takesImages(name)) {
        launch = launch.with(Launch.prefix(name) + "IMAGE", image);
      }
      if (name.equals("http-upload")) {
        // One service uses HTTPS, so that the metrics of certificates exist.
        launch =
            launch
                .with("POPULATOR_TLS_PORT", Integer.toString(FreePort.any()))
                .with("POPULATOR_TLS_CERTIFICATE", issued.certificate().toString())
                .with("POPULATOR_TLS_KEY", issued.key().toString());
      }
      if (name.equals("registry-stream-iscsi")) {
        Path disk = Recipe.raw().getFirst().make(directory, SEED.random());
        ImageLayout.containerDisk(directory, "image", Family.OCI, Packing.GZIP, disk);
        launch =
            launch
                .with("REGISTRY_STREAM_ISCSI_PORT", "0")
                .with("REGISTRY_STREAM_ISCSI_HOST", "127.0.0.1")
                .with("REGISTRY_STREAM_ISCSI_IMAGE", "oci:" + directory.resolve("image"));
      }
      running.put(name, new Service(launch.begin()));
    }
    Map<String, URI> targets = new LinkedHashMap<>();
    for (Map.Entry<String, Service> each : running.entrySet()) {
      each.getValue().awaitListening();
      URI base = each.getValue().base();
      targets.put(each.getKey(), base);
      Http http = new Http(base, authority.trusting());
      clients.put(each.getKey(), http);
      // The metrics of HTTP requests exist after the first request, even if the service refuses
      // this request.
      http.put("/volume", new byte[] {'{'}).problem();
    }
    prometheus =
        Prometheus.scraping(
            Files.createDirectory(directory.resolve("prometheus")), List.of(ALERTS), targets);
    prometheus.await("count_over_time(up[1m]) >= 2 and up == 1", Services.names().size());
  }

  @AfterAll
  static void stop() {
    running.values().forEach(Service::close);
    if (prometheus != null) {
      prometheus.close();
    }
  }

  @Test
  void everyMetricOfTheDashboardExists() throws IOException, InterruptedException {
    assertEquals(List.of(), faults(Files.readString(DASHBOARD)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rate(iscsi_reads_total{ | rate(iscsi_read_total{ | Commands: no service has iscsi_read_total{
          phase=\\"failed\\" | phase=\\"Failed\\" | Failed volumes: no service has pvc_populator_phase{phase="Failed"
          sum by (reason) (increase(iscsi | sum by (cause) (increase(iscsi | Commands that failed: no label cause
          {{direction}}, half | {{way}}, half | Latency: no label way
          jvm_gc_overhead{ | jvm_gc_overheads{ | Garbage collection: no service has jvm_gc_overheads{
          application=~\\"$service\\"}, pod) | application=~\\"$service\\"}, pods) | $pod: no label pods
          """)
  void aMistakeInTheDashboardIsNamed(String there, String instead, String said)
      throws IOException, InterruptedException {
    String sound = Files.readString(DASHBOARD);
    assertTrue(sound.contains(there), there);
    List<String> found = faults(sound.replace(there, instead));
    assertTrue(found.stream().anyMatch(fault -> fault.contains(said)), found::toString);
  }

  private static List<String> faults(String dashboard) throws IOException, InterruptedException {
    return new ShownMetrics(prometheus).faultsOfDashboard(new ObjectMapper().readTree(dashboard));
  }

  @Test
  void everyMetricOfTheAlertsExists() throws IOException, InterruptedException {
    List<JsonNode> rules = prometheus.rules();
    assertEquals(List.of(), new ShownMetrics(prometheus).faultsOfRules(rules));
    List<String> unhealthy = new ArrayList<>();
    for (JsonNode rule : rules) {
      if (rule.path("health").asText().equals("err")) {
        unhealthy.add(rule.toString());
      }
    }
    assertEquals(List.of(), unhealthy);
  }

  private static Http client(String service) {
    return Objects.requireNonNull(clients.get(service), service);
  }

  static Stream<String> services() {
    return Services.names().stream();
  }

  @ParameterizedTest
  @MethodSource("services")
  void prometheusHasNothingAgainstOurMetrics(String service)
      throws IOException, InterruptedException {
    String text = client(service).get("/q/metrics", "Accept", "text/plain").expect(200).text();
    assertTrue(text.contains("\npvc_populator_phase{"), text);
    Path file = Files.writeString(directory.resolve(service + ".metrics"), text);
    Command.Ran ran = Command.from(file, List.of("promtool", "check", "metrics"));
    // promtool exits with 3 if any metric has a problem, including metrics of libraries.
    assertTrue(ran.status() == 0 || ran.status() == 3, ran::toString);
    assertEquals(
        List.of(), (ran.out() + ran.err()).lines().filter(line -> line.matches(OURS)).toList());
  }

  @Test
  void aFailureBecomesAnAlert() throws IOException, InterruptedException {
    client("http-upload").put("/upload?format=qcow2", new byte[1]).expect(422);
    prometheus.await("ALERTS{alertname=\"PvcPopulatorCreationFailed\",alertstate=\"firing\"}", 1);
    List<String> told = new ArrayList<>();
    for (JsonNode rule : prometheus.rules()) {
      for (JsonNode alert : rule.path("alerts")) {
        if (alert.path("state").asText().equals("firing")) {
          told.add(alert.path("annotations").path("summary").asText());
        }
      }
    }
    assertEquals(
        List.of("vm-disks/http-upload-0 could not make its volume: unsupported-source"), told);
  }

  @Test
  void measuresCommandsOfInitiators() throws IOException, InterruptedException {
    Http http = client("registry-stream-iscsi");
    IscsiLun lun = IscsiLun.of(http.put("/volume", new byte[0], "Accept", "application/json"));
    Command.Ran io = lun.io("write 64k 4k", "read 64k 4k");
    assertEquals(0, io.status(), io::toString);
    IscsiLun other =
        new IscsiLun(lun.host(), lun.port(), lun.target() + "x", 0, lun.initiator(), "", "");
    assertNotEquals(0, other.io("read 0 64k").status());
    String text = http.get("/q/metrics").expect(200).text();
    for (String sample :
        List.of(
            "iscsi_command_seconds_bucket{direction=\"read\",le=\"+Inf\"} [1-9]",
            "iscsi_command_seconds_count{direction=\"write\"} [1-9]",
            "iscsi_logins_total{outcome=\"entered\"} [1-9]",
            "iscsi_logins_total{outcome=\"unauthenticated\"} [1-9]",
            "iscsi_luns{state=\"(pulling|complete)\"} 1",
            "iscsi_image_present_bytes [1-9]",
            "iscsi_sessions_limit [1-9]")) {
      String pattern = "(?s).*\n" + sample.replace("{", "\\{").replace("+", "\\+") + ".*";
      assertTrue(text.matches(pattern), () -> sample + "\n" + text);
    }
  }

  @Test
  void theCertificateExpiresWhenOpensslSaysSo() throws IOException, InterruptedException {
    String end =
        Command.run(
            "openssl",
            "x509",
            "-noout",
            "-enddate",
            "-dateopt",
            "iso_8601",
            "-in",
            issued.certificate().toString());
    String date = end.strip().replace("notAfter=", "").replace(' ', 'T');
    String expiry = "pvc_populator_certificate_expiry_timestamp_seconds";
    String query = expiry + " == " + Instant.parse(date).getEpochSecond();
    assertEquals(1, prometheus.series(query).size(), query);
  }

  /// A request with an unknown path or method creates no new label value. The service uses the
  /// value `other` instead.
  @Test
  void requestedPathsAreNotLabels() throws IOException, InterruptedException {
    Http http = client("registry-copy");
    http.ask("BREW", "/volume/brewed");
    http.get("/secret/path");
    String text = http.get("/q/metrics").expect(200).text();
    assertTrue(text.contains("uri=\"other\"") && text.contains("method=\"other\""), text);
    assertTrue(
        !text.contains("brewed") && !text.contains("BREW") && !text.contains("secret"), text);
  }
}
