package dev.pvcpopulators.kit.settings;

import io.smallrye.config.SmallRyeConfig;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/// The settings that a service is started with. If a value has the wrong type, the mistake has been
/// reported already, and the setting has its default here, or no value if there is no default.
public final class GivenSettings {
  private final SmallRyeConfig config;
  private final NamedFiles files;
  private final KnownSettings known;

  GivenSettings(SmallRyeConfig config, NamedFiles files, KnownSettings known) {
    this.config = config;
    this.files = files;
    this.known = known;
  }

  /// Returns the settings of a `@ConfigMapping` interface.
  public <T> T of(Class<T> mapping) {
    return config.getConfigMapping(mapping);
  }

  /// Returns the settings that all services share.
  public PopulatorSettings shared() {
    return of(PopulatorSettings.class);
  }

  /// Returns all configuration, including Quarkus's own settings.
  public Config config() {
    return config;
  }

  /// Returns whether the process is a job, which makes its volume at once and without a request.
  public boolean isJob() {
    return shared().mode() == PopulatorSettings.Mode.JOB;
  }

  /// Returns whether a property is `true`, for example a property that a command-line flag sets.
  public boolean flag(String property) {
    return config.getOptionalValue(property, Boolean.class).orElse(false);
  }

  NamedFiles files() {
    return files;
  }

  /// Returns the value of the setting that an environment variable sets. If no value is set,
  /// returns the setting's default, or an empty text if there is no default.
  String text(String variable) {
    return known
        .property(variable)
        .map(property -> config.getConfigValue(property).getValue())
        .or(() -> Optional.ofNullable(known.setting(variable).fallback()))
        .orElse("");
  }

  Setting setting(String variable) {
    return known.setting(variable);
  }
}
