package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.kit.settings.Described;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The settings for connections to a source: a registry, or a server with files.
public interface ConnectionSettings {
  @Described(
      value = "File with the certificates (PEM) of additional authorities",
      example = "/etc/source/ca.crt")
  Optional<Path> caFile();

  @Described("Maximum number of consecutive retries of a request without progress")
  @WithDefault("5")
  int retries();

  @Described("Time-out for connecting to the source")
  @WithDefault("10s")
  Duration connectTimeout();

  @Described("How long the source may send nothing before the connection counts as lost")
  @WithDefault("60s")
  Duration idleTimeout();
}
