package dev.pvcpopulators.kit.settings;

import dev.pvcpopulators.kit.settings.PopulatorSettings.Auth;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/// The authentication that several settings together select.
public final class AuthChoice {
  private AuthChoice() {}

  /// Returns the authentication. The first of these rules that applies decides: the configured
  /// authentication, if there is one; `token`, if a token or a token file is set; `none`, if HTTP
  /// listens on a loopback address or does not listen.
  ///
  /// @return empty if no rule applies, because other hosts must not have access without a token
  ///   unless `auth=none` is configured
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
