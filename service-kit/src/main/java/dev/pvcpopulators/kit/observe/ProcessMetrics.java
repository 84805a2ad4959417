package dev.pvcpopulators.kit.observe;

import com.sun.management.OperatingSystemMXBean;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// Metrics of the process's memory, the volume's space, and the version of the service.
///
/// | Metric                                       | Meaning                                |
/// |----------------------------------------------|----------------------------------------|
/// | `pvc_populator_build_info{application,version}` | 1                                   |
/// | `pvc_populator_memory_resident_bytes`        | the resident memory of the process     |
/// | `pvc_populator_memory_limit_bytes` | the container's limit, or the host's memory |
/// | `pvc_populator_volume_size_bytes`, `…_free_bytes` | space of the volume's file system |
@ApplicationScoped
class ProcessMetrics {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String RESIDENT = "VmRSS:";
  private static final double KIBIBYTE = 1024;

  private final MeterRegistry registry;
  private final Path volume;
  private final String application;
  private final String version;

  ProcessMetrics(
      MeterRegistry registry,
      PopulatorSettings settings,
      @ConfigProperty(name = "quarkus.application.name") String application,
      @ConfigProperty(name = "quarkus.application.version") String version) {
    this.registry = registry;
    this.volume = settings.target();
    this.application = application;
    this.version = version;
  }

  void begin(@Observes StartupEvent event) {
    Gauge.builder("pvc.populator.build.info", () -> 1)
        .tag("application", application)
        .tag("version", version)
        .description("Always 1; the labels name the service and its version")
        .register(registry);
    Gauge.builder("pvc.populator.memory.resident", STATUS, ProcessMetrics::resident)
        .baseUnit("bytes")
        .description("Resident memory of the process")
        .register(registry);
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    Gauge.builder("pvc.populator.memory.limit", system, OperatingSystemMXBean::getTotalMemorySize)
        .baseUnit("bytes")
        .description("The container's memory limit, or the machine's memory")
        .register(registry);
    // A block device has no file system whose free space could be measured.
    if (Files.isDirectory(volume)) {
      space(
          "pvc.populator.volume.size",
          "Size of the volume's file system",
          FileStore::getTotalSpace);
      space(
          "pvc.populator.volume.free",
          "Free space of the file system for this process",
          FileStore::getUsableSpace);
    }
  }

  private interface Figure {
    long of(FileStore store) throws IOException;
  }

  private void space(String name, String description, Figure figure) {
    Gauge.builder(name, volume, it -> space(it, figure))
        .baseUnit("bytes")
        .description(description)
        .register(registry);
  }

  /// Returns the total size or the usable space of the volume's file system, in bytes. If this
  /// method throws, Micrometer reports NaN, which is correct for a size that cannot be read.
  private static double space(Path volume, Figure figure) {
    try {
      return figure.of(Files.getFileStore(volume));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double resident(Path status) {
    try {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith(RESIDENT)) {
          return KIBIBYTE * Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
      return Double.NaN;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
