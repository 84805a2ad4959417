package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.kit.settings.Described;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The settings for connections to a source: a registry, or a server with files.
public interface ConnectionSettings {
  @Described(
      value = "File with certificates (PEM) of authorities to trust besides the usual ones",
      example = "/etc/source/ca.crt")
  Optional<Path> caFile();

  @Described("How often a request is tried again after failures without any progress between them")
  @WithDefault("5")
  int retries();

  @Described("How long a connection to the source may take")
  @WithDefault("10s")
  Duration connectTimeout();

  @Described("How long the source may send nothing before the connection counts as lost")
  @WithDefault("60s")
  Duration idleTimeout();
}
