package dev.pvcpopulators.kit.settings;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.Config;

/// Provides values that follow from several settings.
@ApplicationScoped
class SettingsBean {
  private final PopulatorSettings settings;
  private final Config config;

  @Inject
  SettingsBean(PopulatorSettings settings, Config config) {
    this.settings = settings;
    this.config = config;
  }

  @Produces
  @Singleton
  ClaimName claimName() {
    return ClaimName.of(settings, config);
  }
}
