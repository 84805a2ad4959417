package dev.pvcpopulators.kit.settings;

import dev.pvcpopulators.kit.settings.PopulatorSettings.Auth;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/// The authentication that several settings together select.
public final class AuthChoice {
  private AuthChoice() {}

  /// Returns the configured authentication. If it is not configured, returns `token` if a token is
  /// set, otherwise `none` if HTTP listens on a loopback address or does not listen.
  ///
  /// @return empty if access would be open without an explicit `auth=none`
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
