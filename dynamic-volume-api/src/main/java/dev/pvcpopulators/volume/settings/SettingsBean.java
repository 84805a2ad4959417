package dev.pvcpopulators.volume.settings;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.Config;

/// Checks at the start what no single setting can say, and offers what follows from several.
@ApplicationScoped
class SettingsBean {
  private final PopulatorSettings settings;
  private final Config config;

  @Inject
  SettingsBean(PopulatorSettings settings, Config config) {
    this.settings = settings;
    this.config = config;
  }

  void check(@Observes StartupEvent event) {
    if (settings.tls().certificate().isPresent() != settings.tls().key().isPresent()) {
      throw new ConfigurationException(
          "Set both POPULATOR_TLS_CERTIFICATE and POPULATOR_TLS_KEY, or neither");
    }
  }

  @Produces
  @Singleton
  ClaimName claimName() {
    return ClaimName.of(settings, config);
  }
}
