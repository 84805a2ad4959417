package dev.pvcpopulators.kit.settings;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.Config;

/// Produces CDI beans that are computed from several settings.
final class SettingsBean {
  private SettingsBean() {}

  @Produces
  @Singleton
  static ClaimName claimName(PopulatorSettings settings, Config config) {
    return ClaimName.of(settings, config);
  }
}
