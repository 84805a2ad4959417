package dev.pvcpopulators.volume.settings;

import dev.pvcpopulators.volume.settings.PopulatorSettings.Auth;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/// Who may use a service where several settings together say it.
public final class AuthChoice {
  private AuthChoice() {}

  /// What is set, or what follows from a token and from where the service listens.
  ///
  /// @return empty where nobody would be kept out without anybody having said so
  public static Optional<Auth> of(PopulatorSettings settings, Config config) {
    if (settings.auth().isPresent()) {
      return settings.auth();
    }
    if (settings.token().isPresent() || settings.tokenFile().isPresent()) {
      return Optional.of(Auth.TOKEN);
    }
    return Loopback.listens(config) ? Optional.of(Auth.NONE) : Optional.empty();
  }
}
