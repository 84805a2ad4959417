package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.session.LoginStatistics;
import dev.pvcpopulators.iscsitarget.unit.UnitStatistics;
import dev.pvcpopulators.registrystreamiscsi.image.CachedImage;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/// Metrics of the target. The metrics of commands and images are sums over all LUNs; an image that
/// several LUNs share counts once. Names of images and initiators are not used as labels.
///
/// | Metric                                 | Meaning                                  |
/// |----------------------------------------|------------------------------------------|
/// | `iscsi_sessions`                       | sessions now: normal and discovery        |
/// | `iscsi_sessions_limit`                 | maximum number of normal sessions         |
/// | `iscsi_logins_total{outcome}`          | logins by outcome                         |
/// | `iscsi_luns{state}`                    | LUNs now, by the state of their images    |
/// | `iscsi_image_bytes`, `iscsi_image_present_bytes` | size of the disks; present bytes |
/// | `iscsi_waiting_commands`               | commands that wait for missing data       |
/// | `iscsi_reads_total`, `…_writes_total`  | commands that read or wrote blocks       |
/// | `iscsi_read_bytes_total`, `iscsi_written_bytes_total` | bytes read; bytes written |
///
/// In `iscsi_luns`, the state `failed` includes LUNs that cannot be exported.
@ApplicationScoped
class StreamMetrics {
  private final StreamPopulator populator;
  private final RegistryStreamIscsiSettings settings;
  private final MeterRegistry registry;

  StreamMetrics(
      StreamPopulator populator, RegistryStreamIscsiSettings settings, MeterRegistry registry) {
    this.populator = populator;
    this.settings = settings;
    this.registry = registry;
  }

  void begin(@Observes StartupEvent event) {
    Gauge.builder(
            "iscsi.sessions",
            populator,
            it -> sum(it, volume -> volume.exports().sessions().size()))
        .description("Sessions of initiators")
        .register(registry);
    Gauge.builder("iscsi.sessions.limit", settings::maxSessions)
        .description("Maximum number of sessions; further logins are refused")
        .register(registry);
    logins("entered", LoginStatistics::entered);
    logins("unauthenticated", LoginStatistics::unauthenticated);
    logins("refused", LoginStatistics::refused);
    for (CachedImage.State state : CachedImage.State.values()) {
      Gauge.builder("iscsi.luns", populator, it -> luns(it, state))
          .tag("state", state.name().toLowerCase(Locale.ROOT))
          .description("LUNs by the state of their image; waiting: between two attempts of a pull")
          .register(registry);
    }
    Gauge.builder("iscsi.image", populator, it -> images(it, ExportedLun::length))
        .baseUnit("bytes")
        .description("Size of the disks of the LUNs")
        .register(registry);
    Gauge.builder(
            "iscsi.image.present", populator, it -> images(it, lun -> lun.image().presentBytes()))
        .baseUnit("bytes")
        .description("Bytes of these disks that have arrived")
        .register(registry);
    Gauge.builder("iscsi.waiting.commands", populator, it -> commands(it, UnitStatistics::waiting))
        .description("Commands that wait for data that have not arrived")
        .register(registry);
    count("iscsi.reads", "Commands that read blocks", UnitStatistics::reads);
    count("iscsi.writes", "Commands that wrote blocks", UnitStatistics::writes);
    count("iscsi.read.bytes", "Bytes read from LUNs", UnitStatistics::bytesRead);
    count("iscsi.written.bytes", "Bytes written to LUNs", UnitStatistics::bytesWritten);
  }

  private void logins(String outcome, ToLongFunction<LoginStatistics> figure) {
    FunctionCounter.builder(
            "iscsi.logins",
            populator,
            it -> sum(it, volume -> figure.applyAsLong(volume.exports().logins())))
        .tag("outcome", outcome)
        .description(
            "Logins by outcome; unauthenticated: without valid proof of identity, or to a"
                + " target of other initiators")
        .register(registry);
  }

  private void count(String name, String description, ToLongFunction<UnitStatistics> figure) {
    FunctionCounter.builder(name, populator, it -> commands(it, figure))
        .description(description)
        .register(registry);
  }

  private static double sum(StreamPopulator populator, ToLongFunction<StreamedVolume> figure) {
    return populator.volume().map(figure::applyAsLong).orElse(0L);
  }

  private static double luns(StreamPopulator populator, CachedImage.State state) {
    return sum(
        populator,
        volume -> {
          long broken =
              state == CachedImage.State.FAILED ? volume.publication().broken().size() : 0;
          return broken
              + volume.exports().luns().stream()
                  .filter(lun -> lun.image().state() == state)
                  .count();
        });
  }

  /// Returns the sum of a figure over all images. An image that several LUNs share counts once.
  private static double images(StreamPopulator populator, ToLongFunction<ExportedLun> figure) {
    return sum(
        populator,
        volume -> {
          Map<CachedImage, Long> known = new HashMap<>();
          volume.exports().luns().forEach(lun -> known.put(lun.image(), figure.applyAsLong(lun)));
          return known.values().stream().mapToLong(Long::longValue).sum();
        });
  }

  private static double commands(StreamPopulator populator, ToLongFunction<UnitStatistics> figure) {
    return sum(
        populator,
        volume ->
            volume.exports().luns().stream()
                .flatMap(lun -> lun.statistics().stream())
                .mapToLong(figure)
                .sum());
  }
}
