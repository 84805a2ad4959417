package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.session.ServerOptions;
import java.util.List;

/// The target engine's options, out of the settings.
final class ServerSettings {
  /// Connections besides those of sessions: who is about to log in, who never does, discovery.
  private static final int MORE_CONNECTIONS = 1024;

  private ServerSettings() {}

  static ServerOptions of(RegistryStreamIscsiSettings settings, PortalAddress address) {
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
