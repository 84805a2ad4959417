package dev.pvcpopulators.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import org.apache.http.HttpHost;
import org.apache.http.config.Registry;
import org.apache.http.config.RegistryBuilder;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.socket.LayeredConnectionSocketFactory;
import org.apache.http.conn.socket.PlainConnectionSocketFactory;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.apache.http.protocol.HttpContext;

/// Socket factories that connect only to addresses that the request's [ConnectionGuard] permits.
final class GuardedSockets {
  private GuardedSockets() {}

  static Registry<ConnectionSocketFactory> by(SSLContext tls) {
    return RegistryBuilder.<ConnectionSocketFactory>create()
        .register("http", new Guarded<>(new PlainConnectionSocketFactory()))
        .register("https", new GuardedLayer(new SSLConnectionSocketFactory(tls)))
        .build();
  }

  private static class Guarded<F extends ConnectionSocketFactory>
      implements ConnectionSocketFactory {
    final F sockets;

    Guarded(F sockets) {
      this.sockets = sockets;
    }

    @Override
    public Socket createSocket(HttpContext context) throws IOException {
      return sockets.createSocket(context);
    }

    @Override
    public Socket connectSocket(
        int timeout,
        Socket socket,
        HttpHost host,
        InetSocketAddress remote,
        InetSocketAddress local,
        HttpContext context)
        throws IOException {
      ConnectionGuard guard = ConnectionGuard.of(context);
      guard.connecting(remote, context);
      Socket connected = sockets.connectSocket(timeout, socket, host, remote, local, context);
      guard.connected(remote, context);
      return connected;
    }
  }

  /// Creates TLS sockets. Also starts TLS on a socket that is connected to the server through a
  /// proxy's tunnel.
  private static final class GuardedLayer extends Guarded<LayeredConnectionSocketFactory>
      implements LayeredConnectionSocketFactory {
    GuardedLayer(LayeredConnectionSocketFactory sockets) {
      super(sockets);
    }

    /// Connects, and limits each read of the TLS handshake to the time-out for connecting.
    @Override
    public Socket connectSocket(
        int timeout,
        Socket socket,
        HttpHost host,
        InetSocketAddress remote,
        InetSocketAddress local,
        HttpContext context)
        throws IOException {
      socket.setSoTimeout(timeout);
      return super.connectSocket(timeout, socket, host, remote, local, context);
    }

    @Override
    public Socket createLayeredSocket(Socket socket, String target, int port, HttpContext context)
        throws IOException {
      return sockets.createLayeredSocket(socket, target, port, context);
    }
  }
}
