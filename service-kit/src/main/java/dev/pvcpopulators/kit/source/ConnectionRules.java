package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.http.file.CredentialFiles;
import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.PathChecks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The rules for settings that give access to a source.
public final class ConnectionRules {
  /// The maximum length of a file with a secret, in bytes.
  public static final int MAX_SECRET = CredentialFiles.MAX_SECRET;

  private static final int MAX_AUTHORITIES = 8 << 20;
  private static final int MAX_RETRIES = 100;
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);
  private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);

  private ConnectionRules() {}

  /// Checks the settings for connections.
  ///
  /// @param prefix the prefix of the environment variables, such as `REGISTRY_COPY_`
  public static void check(ConnectionSettings settings, String prefix, Mistakes found) {
    found.place(
        prefix + "CA_FILE",
        settings.caFile(),
        PathChecks.text(
            MAX_AUTHORITIES,
            text -> text.contains("-----BEGIN CERTIFICATE-----"),
            "no certificate (PEM) in it"),
        "a file with certificates (PEM)");
    found.within(prefix + "RETRIES", settings.retries(), 0, MAX_RETRIES);
    found.within(
        prefix + "CONNECT_TIMEOUT", settings.connectTimeout(), SHORTEST_TIMEOUT, LONGEST_TIMEOUT);
    found.within(
        prefix + "IDLE_TIMEOUT", settings.idleTimeout(), SHORTEST_TIMEOUT, LONGEST_TIMEOUT);
  }

  /// Requires that a file with a secret, if one is set, is readable, not empty and not too long.
  public static void secret(String variable, Optional<Path> file, Mistakes found) {
    found.place(
        variable,
        file,
        PathChecks.text(MAX_SECRET, text -> !text.isEmpty(), "empty"),
        "a file of at most " + MAX_SECRET + " bytes, such as a mounted Secret");
  }

  /// Requires that a user name and a password are both set, or that neither is set.
  ///
  /// @param prefix the prefix of the variables `…USERNAME_FILE` and `…PASSWORD_FILE`
  public static void pair(String prefix, boolean username, boolean password, Mistakes found) {
    if (username && !password) {
      found.missing(prefix + "PASSWORD_FILE", "the password for the user name");
    }
    if (password && !username) {
      found.missing(prefix + "USERNAME_FILE", "the user name for the password");
    }
  }
}
