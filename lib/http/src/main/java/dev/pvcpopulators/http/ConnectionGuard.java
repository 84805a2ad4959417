package dev.pvcpopulators.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.apache.http.client.protocol.HttpClientContext;
import org.apache.http.conn.routing.RouteInfo;
import org.apache.http.protocol.BasicHttpContext;
import org.apache.http.protocol.HttpContext;

/// Checks the address that a request connects to.
///
/// The context of the request passes the guard to the socket factory. The guard must check exactly
/// the address that the socket connects to, because a second lookup of the name may give another
/// address.
///
/// @param policy the policy of the origin; the origin is the server that a setting or a client of
///   the service named
/// @param led whether the request comes after a redirect to another origin, or goes to a token
///   server that a response named
public record ConnectionGuard(AddressPolicy policy, boolean led) {
  private static final String KEY = ConnectionGuard.class.getName();

  /// Returns the guard for a request to the origin itself.
  public static ConnectionGuard origin(AddressPolicy policy) {
    return new ConnectionGuard(policy, false);
  }

  /// Returns the guard for a request to a server that a response named.
  public ConnectionGuard redirected() {
    return new ConnectionGuard(policy, true);
  }

  /// Returns a context that contains this guard, for a request of the HTTP client.
  HttpContext context() {
    HttpContext context = new BasicHttpContext();
    context.setAttribute(KEY, this);
    return context;
  }

  /// Returns the guard of a request.
  static ConnectionGuard of(HttpContext context) {
    if (context.getAttribute(KEY) instanceof ConnectionGuard guard) {
      return guard;
    }
    throw new IllegalStateException("A connection was opened without a request");
  }

  /// Checks the address of the server before a socket connects. If the request goes through a
  /// proxy, checks only a URL that contains an IP address in place of a host name.
  ///
  /// @param remote the address of the server, or of the proxy in front of it
  void connecting(InetSocketAddress remote, HttpContext context) throws IOException {
    RouteInfo route = HttpClientContext.adapt(context).getHttpRoute();
    String host = route.getTargetHost().getHostName();
    if (route.getProxyHost() == null) {
      require(host, remote.getAddress());
      return;
    }
    // The proxy resolves names, so their addresses are not known here. If the host is a literal
    // address, the proxy connects to this address. So a literal address is checked here.
    Optional<InetAddress> literal = EnvironmentProxies.literal(host);
    if (literal.isPresent()) {
      require(host, literal.get());
    }
  }

  private void require(String host, InetAddress address) throws IOException {
    if (led) {
      policy.requireRedirected(host, address);
    } else {
      policy.requireOrigin(address);
    }
  }

  /// Records the address of the origin. The caller calls this method after the connection is set
  /// up; if the connection uses TLS, after the TLS handshake. Records nothing if `led` is true, or
  /// if the request goes through a proxy: the address of the origin is then not known.
  void connected(InetSocketAddress remote, HttpContext context) throws IOException {
    if (!led && HttpClientContext.adapt(context).getHttpRoute().getProxyHost() == null) {
      policy.found(remote.getAddress());
    }
  }
}
