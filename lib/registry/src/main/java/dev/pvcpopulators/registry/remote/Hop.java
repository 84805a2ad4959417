package dev.pvcpopulators.registry.remote;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.apache.http.client.protocol.HttpClientContext;
import org.apache.http.conn.routing.RouteInfo;
import org.apache.http.protocol.BasicHttpContext;
import org.apache.http.protocol.HttpContext;

/// One request's way to a server. It goes along with the request down to its socket, so that the
/// address that is judged is the one that is connected to: a name may mean another the next time.
///
/// @param reach of the endpoint that is asked
/// @param led whether an answer named the server, and not the reference or a setting
record Hop(Reach reach, boolean led) {
  private static final String KEY = Hop.class.getName();

  /// To the endpoint itself.
  static Hop asked(Reach reach) {
    return new Hop(reach, false);
  }

  /// To where an answer leads.
  Hop onwards() {
    return new Hop(reach, true);
  }

  /// A context for the client's request.
  HttpContext context() {
    HttpContext context = new BasicHttpContext();
    context.setAttribute(KEY, this);
    return context;
  }

  static Hop of(HttpContext context) {
    if (context.getAttribute(KEY) instanceof Hop hop) {
      return hop;
    }
    throw new IllegalStateException("A connection for no request");
  }

  /// A socket is about to be connected.
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
      reach.require(host, address);
    } else {
      reach.requireItself(address);
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

  /// A socket is connected, and its TLS has begun where it has any.
  void connected(InetSocketAddress remote, HttpContext context) throws IOException {
    if (!led && HttpClientContext.adapt(context).getHttpRoute().getProxyHost() == null) {
      reach.found(remote.getAddress());
    }
  }
}
