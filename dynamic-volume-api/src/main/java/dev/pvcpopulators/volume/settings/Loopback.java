package dev.pvcpopulators.volume.settings;

import org.eclipse.microprofile.config.Config;

/// Whether only this machine reaches the service.
public final class Loopback {
  private Loopback() {}

  /// True where HTTP listens on a loopback address or not at all. Names other than `localhost` are
  /// not looked up: what they mean can change.
  public static boolean listens(Config config) {
    boolean enabled =
        config.getOptionalValue("quarkus.http.host-enabled", Boolean.class).orElse(true);
    String host = config.getOptionalValue("quarkus.http.host", String.class).orElse("0.0.0.0");
    return !enabled
        || host.equals("localhost")
        || host.equals("::1")
        || host.matches("127(\\.[0-9]{1,3}){3}");
  }
}
