package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.unit.UnitStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.util.function.ToLongFunction;

/// The target in numbers, over all LUNs.
///
/// | Metric                                 | Meaning                                  |
/// |----------------------------------------|------------------------------------------|
/// | `iscsi_sessions`                       | initiators' sessions now                 |
/// | `iscsi_luns`                           | LUNs now                                 |
/// | `iscsi_waiting_commands`               | commands that wait for data on its way   |
/// | `iscsi_reads_total`, `…_writes_total`  | commands that read or wrote blocks       |
/// | `iscsi_read_bytes_total`, `iscsi_written_bytes_total` | bytes of their data       |
@ApplicationScoped
class StreamMetrics {
  private final StreamPopulator populator;
  private final MeterRegistry registry;

  @Inject
  StreamMetrics(StreamPopulator populator, MeterRegistry registry) {
    this.populator = populator;
    this.registry = registry;
  }

  void begin(@Observes StartupEvent event) {
    Gauge.builder("iscsi.sessions", populator, StreamPopulator::sessions)
        .description("Initiators' sessions")
        .register(registry);
    Gauge.builder("iscsi.luns", populator, it -> it.luns().size())
        .description("LUNs that can be used")
        .register(registry);
    Gauge.builder("iscsi.waiting.commands", populator, it -> sum(it, UnitStatistics::waiting))
        .description("Commands that wait for data on its way")
        .register(registry);
    count("iscsi.reads", "Commands that read blocks", UnitStatistics::reads);
    count("iscsi.writes", "Commands that wrote blocks", UnitStatistics::writes);
    count("iscsi.read.bytes", "Bytes read from LUNs", UnitStatistics::bytesRead);
    count("iscsi.written.bytes", "Bytes written to LUNs", UnitStatistics::bytesWritten);
  }

  private void count(String name, String description, ToLongFunction<UnitStatistics> figure) {
    FunctionCounter.builder(name, populator, it -> sum(it, figure))
        .description(description)
        .register(registry);
  }

  private static double sum(StreamPopulator populator, ToLongFunction<UnitStatistics> figure) {
    long sum = 0;
    for (ExportedLun lun : populator.luns()) {
      for (UnitStatistics statistics : lun.statistics()) {
        sum += figure.applyAsLong(statistics);
      }
    }
    return sum;
  }
}
