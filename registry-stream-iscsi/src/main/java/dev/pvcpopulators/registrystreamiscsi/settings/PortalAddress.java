package dev.pvcpopulators.registrystreamiscsi.settings;

import dev.pvcpopulators.iscsitarget.session.ServerOptions;
import dev.pvcpopulators.kit.settings.Loopback;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/// The addresses that the target listens on, and the address it announces to initiators.
///
/// @param bound the addresses to listen on
/// @param host the name or address that initiators use
public record PortalAddress(List<InetSocketAddress> bound, String host) {
  /// The number of connections beyond the maximum number of sessions: for logins, for discovery,
  /// and for clients that never log in.
  private static final int MORE_CONNECTIONS = 1024;

  public static PortalAddress of(RegistryStreamIscsiSettings settings, Config config)
      throws UnknownHostException {
    List<String> names =
        settings.bind().orElse(List.of(Loopback.listens(config) ? "127.0.0.1" : "0.0.0.0"));
    List<InetSocketAddress> bound = new ArrayList<>();
    for (String name : names) {
      bound.add(new InetSocketAddress(InetAddress.getByName(name.strip()), settings.port()));
    }
    InetAddress first = bound.getFirst().getAddress();
    Optional<String> host =
        settings.host().or(() -> config.getOptionalValue("POD_IP", String.class));
    return new PortalAddress(
        bound,
        host.isPresent()
            ? host.get()
            : first.isAnyLocalAddress()
                ? InetAddress.getLocalHost().getHostName()
                : first.getHostAddress());
  }

  /// Returns whether only clients on this host can reach the portal. If the portal is bound to a
  /// host name other than `localhost`, returns false: this method does not resolve host names,
  /// because the addresses of a host name can change.
  public static boolean isLoopback(RegistryStreamIscsiSettings settings, Config config) {
    return settings
        .bind()
        .map(names -> names.stream().map(String::strip).allMatch(Loopback::isAddress))
        .orElseGet(() -> Loopback.listens(config));
  }

  /// Returns the options of the target engine.
  public ServerOptions options(RegistryStreamIscsiSettings settings) {
    ServerOptions defaults = ServerOptions.on(bound.getFirst());
    boolean known = settings.port() != 0;
    return new ServerOptions(
        bound,
        known ? List.of(bracketed() + ":" + settings.port()) : List.of(),
        settings.maxSessions(),
        settings.maxSessions() + MORE_CONNECTIONS,
        defaults.loginTimeout(),
        settings.keepalive(),
        settings.arrivalTimeout(),
        settings.requireDigests(),
        settings.chapMd5());
  }

  /// Returns the host as in a URI: an IPv6 address is in brackets.
  private String bracketed() {
    return host.contains(":") ? "[" + host + "]" : host;
  }
}
