package dev.pvcpopulators.volume.settings;

import io.smallrye.config.SmallRyeConfig;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/// The settings that a service is started with. Those with a value of the wrong type, which are
/// mistakes already, are as if they were not set.
public final class GivenSettings {
  private final SmallRyeConfig config;
  private final NamedFiles files;
  private final KnownSettings known;

  GivenSettings(SmallRyeConfig config, NamedFiles files, KnownSettings known) {
    this.config = config;
    this.files = files;
    this.known = known;
  }

  /// The settings of a `@ConfigMapping` interface.
  public <T> T of(Class<T> mapping) {
    return config.getConfigMapping(mapping);
  }

  /// Those that all services share.
  public PopulatorSettings shared() {
    return of(PopulatorSettings.class);
  }

  /// Everything, Quarkus' own settings among it.
  public Config config() {
    return config;
  }

  /// Whether the process makes its volume at once, by these settings alone.
  public boolean isJob() {
    return switch (shared().mode()) {
      case JOB -> true;
      case SERVICE -> false;
    };
  }

  /// Whether a property that the command line sets is `true`.
  public boolean flag(String property) {
    return config.getOptionalValue(property, Boolean.class).orElse(false);
  }

  /// Collects mistakes.
  public Mistakes collect() {
    return new Mistakes(this);
  }

  NamedFiles files() {
    return files;
  }

  /// What is set; empty where nothing is.
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
