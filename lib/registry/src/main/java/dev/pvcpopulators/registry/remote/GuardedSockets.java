package dev.pvcpopulators.registry.remote;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import org.apache.http.HttpHost;
import org.apache.http.config.Registry;
import org.apache.http.config.RegistryBuilder;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.socket.PlainConnectionSocketFactory;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.apache.http.protocol.HttpContext;

/// Sockets that go only where their [Hop] may.
final class GuardedSockets {
  private GuardedSockets() {}

  static Registry<ConnectionSocketFactory> by(SSLContext tls) {
    return RegistryBuilder.<ConnectionSocketFactory>create()
        .register("http", new Plain())
        .register("https", new Secure(tls))
        .build();
  }

  private static final class Plain extends PlainConnectionSocketFactory {
    @Override
    public Socket connectSocket(
        int timeout,
        Socket socket,
        HttpHost host,
        InetSocketAddress remote,
        InetSocketAddress local,
        HttpContext context)
        throws IOException {
      Hop hop = Hop.of(context);
      hop.connecting(remote, context);
      Socket connected = super.connectSocket(timeout, socket, host, remote, local, context);
      hop.connected(remote, context);
      return connected;
    }
  }

  private static final class Secure extends SSLConnectionSocketFactory {
    Secure(SSLContext tls) {
      super(tls);
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
      Hop hop = Hop.of(context);
      hop.connecting(remote, context);
      Socket connected = super.connectSocket(timeout, socket, host, remote, local, context);
      hop.connected(remote, context);
      return connected;
    }
  }
}
