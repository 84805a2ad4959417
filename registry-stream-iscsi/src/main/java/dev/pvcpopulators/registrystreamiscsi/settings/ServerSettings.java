package dev.pvcpopulators.registrystreamiscsi.settings;

import dev.pvcpopulators.iscsitarget.session.ServerOptions;
import java.util.List;

/// Converts the settings to the target engine's options.
public final class ServerSettings {
  /// The number of connections beyond the maximum number of sessions: for logins, for discovery,
  /// and for clients that never log in.
  private static final int MORE_CONNECTIONS = 1024;

  private ServerSettings() {}

  public static ServerOptions of(RegistryStreamIscsiSettings settings, PortalAddress address) {
    ServerOptions defaults = ServerOptions.on(address.bound().getFirst());
    boolean known = settings.port() != 0;
    return new ServerOptions(
        address.bound(),
        known ? List.of(address.bracketed() + ":" + settings.port()) : List.of(),
        settings.maxSessions(),
        settings.maxSessions() + MORE_CONNECTIONS,
        defaults.loginTimeout(),
        settings.keepalive(),
        settings.arrivalTimeout(),
        settings.requireDigests(),
        settings.chapMd5());
  }
}
