package dev.pvcpopulators.kit.settings;

import org.eclipse.microprofile.config.Config;

/// Decides whether the service is unreachable from other hosts.
public final class Loopback {
  private Loopback() {}

  /// Returns whether HTTP listens on a loopback address, or does not listen at all. If HTTP listens
  /// on a host name other than `localhost`, returns false: host names are not resolved, because
  /// their addresses can change.
  public static boolean listens(Config config) {
    boolean enabled =
        config.getOptionalValue("quarkus.http.host-enabled", Boolean.class).orElse(true);
    String host = config.getOptionalValue("quarkus.http.host", String.class).orElse("0.0.0.0");
    return !enabled || isAddress(host);
  }

  /// Returns whether a host is `localhost`, `::1` or an address of the form `127.x.x.x`. For other
  /// forms of loopback addresses, such as `0:0:0:0:0:0:0:1`, returns false.
  public static boolean isAddress(String host) {
    return host.equals("localhost") || host.equals("::1") || host.matches("127(\\.[0-9]{1,3}){3}");
  }
}
