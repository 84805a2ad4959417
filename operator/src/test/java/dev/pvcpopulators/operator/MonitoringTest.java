package dev.pvcpopulators.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.UploadSource;
import dev.pvcpopulators.operator.dynamic.VolumeReason;
import dev.pvcpopulators.operator.dynamic.VolumeReport;
import dev.pvcpopulators.operator.dynamic.VolumeStatusUpdate;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import dev.pvcpopulators.operator.status.StatusUpdate;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Checks that each metric in the alerts, the dashboard and the documentation exists before the
/// first population, and that the values of the metrics are correct.
// Quarkus uses the deprecated class PrometheusMeterRegistry, so the test uses it, too.
@SuppressWarnings("deprecation")
final class MonitoringTest {
  private static final Instant CREATED = Instant.parse("2026-11-24T10:00:00Z");
  private static final Path MONITORING = Path.of("../kubernetes/monitoring");
  private static final Path PAGE = Path.of("../docs/operations/operator.md");
  private static final Pattern METRIC = Pattern.compile("pvc_populator_operator_[a-z_]+");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final PopulationMetrics metrics =
      new PopulationMetrics(registry, Clock.fixed(CREATED.plusSeconds(90), ZoneOffset.UTC));

  @Test
  void everyQueriedMetricExists() throws IOException {
    metrics.watch(Stream::empty, () -> true);
    new VolumeMetrics(registry).watch(Stream::empty);
    Set<String> measured = names(registry.scrape());
    for (Path file :
        new Path[] {
          MONITORING.resolve("operator-alerts.yaml"),
          MONITORING.resolve("pvc-populators-operator.json"),
          PAGE
        }) {
      Set<String> missing = names(Files.readString(file));
      assertTrue(!missing.isEmpty(), file::toString);
      // The file operator.md has the name of a summary. No sample in a scrape has exactly this
      // name: the names of the summary's samples have suffixes.
      missing.remove("pvc_populator_operator_population_seconds");
      missing.removeAll(measured);
      assertEquals(Set.of(), missing, file::toString);
    }
  }

  @Test
  void anEndIsCountedOnceWithItsReasonAndDuration() {
    DiskPopulation population = population();
    Report failed = Report.of(Phase.Failed, Reason.PermanentFailure, "x").on("node", 3);
    DiskPopulationStatus after = StatusUpdate.of(population, failed, CREATED).orElseThrow();
    metrics.changed(population, after, failed);
    population.setStatus(after);
    metrics.changed(population, after, failed);
    assertSample("failures_total{reason=\"PermanentFailure\",} 1.0");
    assertSample("failures_total{reason=\"VolumeLost\",} 0.0");
    assertSample("population_seconds_count{outcome=\"Failed\",} 1.0");
    assertSample(
        "population_seconds_sum{outcome=\"Failed\",} %.1f"
            .formatted((double) Duration.ofSeconds(90).toSeconds()));
    assertSample("retries_total 2.0");
  }

  @Test
  void populationsAreCountedByPhase() {
    DiskPopulation population = population();
    population.setStatus(
        StatusUpdate.of(population, Report.of(Phase.Populating, Reason.Populating, "x"), CREATED)
            .orElseThrow());
    metrics.watch(() -> Stream.of(population), () -> false);
    assertSample("populations{phase=\"Populating\",} 1.0");
    assertSample("populations{phase=\"Ready\",} 0.0");
    assertSample("leading 0.0");
  }

  @Test
  void countsDynamicVolumesByKindAndPhase() {
    VolumeMetrics volumes = new VolumeMetrics(registry);
    DynamicVolume stream = new DynamicVolume();
    stream
        .getMetadata()
        .setOwnerReferences(
            List.of(new OwnerReferenceBuilder().withKind("PersistentVolumeClaim").build()));
    volumes.watch(() -> Stream.of(new DynamicVolume(), stream));
    DynamicVolumeStatus before = DynamicVolumeStatus.empty();
    VolumeReport failed =
        VolumeReport.of(DynamicVolumeStatus.Phase.Failed, VolumeReason.NoAnswer, "x");
    DynamicVolumeStatus after = VolumeStatusUpdate.of(before, failed, CREATED);
    volumes.changed(before, after, failed.reason());
    volumes.changed(after, after, failed.reason());
    stream.setStatus(after);
    assertSample("volumes{kind=\"stream\",phase=\"Failed\",} 1.0");
    assertSample("volumes{kind=\"dynamic\",phase=\"Failed\",} 0.0");
    assertSample("volumes{kind=\"dynamic\",phase=\"Pending\",} 1.0");
    assertSample("volume_failures_total{reason=\"NoAnswer\",} 1.0");
    assertSample("volume_failures_total{reason=\"CreationFailed\",} 0.0");
  }

  private void assertSample(String sample) {
    String text = registry.scrape();
    assertTrue(text.contains("\npvc_populator_operator_" + sample + "\n"), sample + "\n" + text);
  }

  private static Set<String> names(String text) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = METRIC.matcher(text);
    while (matcher.find()) {
      names.add(matcher.group());
    }
    return names;
  }

  private static DiskPopulation population() {
    DiskPopulation population = new DiskPopulation();
    population.getMetadata().setCreationTimestamp(CREATED.toString());
    population.setSpec(
        new DiskPopulationSpec(
            "u1",
            "fedora",
            new DiskImageSpec(
                null, null, new UploadSource(null, null), null, null, null, null, null)));
    return population;
  }
}
