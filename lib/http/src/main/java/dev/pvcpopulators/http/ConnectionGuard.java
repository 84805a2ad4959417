package dev.pvcpopulators.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.apache.http.client.protocol.HttpClientContext;
import org.apache.http.conn.routing.RouteInfo;
import org.apache.http.protocol.BasicHttpContext;
import org.apache.http.protocol.HttpContext;

/// Checks the address that one request connects to.
///
/// It goes with the request down to its socket, so that the address that is checked is the one that
/// is connected to: a name may resolve to another the next time.
///
/// @param policy of the origin that was asked first
/// @param led whether a response named the server, and not a setting or a client
public record ConnectionGuard(AddressPolicy policy, boolean led) {
  private static final String KEY = ConnectionGuard.class.getName();

  /// For a request to the origin itself.
  public static ConnectionGuard origin(AddressPolicy policy) {
    return new ConnectionGuard(policy, false);
  }

  /// For a request to a server that a response of the origin named.
  public ConnectionGuard redirected() {
    return new ConnectionGuard(policy, true);
  }

  /// Returns a context for the client's request.
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
    throw new IllegalStateException("A connection for no request");
  }

  /// Checks where a socket is about to connect.
  ///
  /// @param remote of the server, or of the proxy before it
  void connecting(InetSocketAddress remote, HttpContext context) throws IOException {
    RouteInfo route = HttpClientContext.adapt(context).getHttpRoute();
    String host = route.getTargetHost().getHostName();
    if (route.getProxyHost() == null) {
      require(host, remote.getAddress());
      return;
    }
    // The proxy looks names up, but would go to this machine's idea of an address as well.
    Optional<InetAddress> literal = literal(host);
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

  private static Optional<InetAddress> literal(String host) {
    try {
      return Optional.of(InetAddress.ofLiteral(host));
    } catch (IllegalArgumentException _) {
      // It is a name.
      return Optional.empty();
    }
  }

  /// Notes the address of a socket that is connected, and whose TLS handshake is done.
  void connected(InetSocketAddress remote, HttpContext context) throws IOException {
    if (!led && HttpClientContext.adapt(context).getHttpRoute().getProxyHost() == null) {
      policy.found(remote.getAddress());
    }
  }
}
