package dev.pvcpopulators.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TcpConnectionTest {
  private static ServerSocketChannel listen(StandardProtocolFamily family) throws IOException {
    return ServerSocketChannel.open(family)
        .bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
  }

  private static TcpConnection of(SocketChannel channel) throws IOException {
    return new TcpConnection(
        (InetSocketAddress) channel.getLocalAddress(),
        (InetSocketAddress) channel.getRemoteAddress());
  }

  @ParameterizedTest
  @EnumSource(names = {"INET", "INET6"})
  void endsWhenThePeerClosesIt(StandardProtocolFamily family) throws IOException {
    try (ServerSocketChannel server = listen(family);
        SocketChannel client = SocketChannel.open(server.getLocalAddress());
        SocketChannel accepted = server.accept()) {
      assertTrue(of(accepted).established());
      assertTrue(of(client).established());
      client.shutdownOutput();
      assertFalse(of(accepted).established());
    }
  }

  @Test
  void endsWhenThePeerResetsIt() throws IOException {
    try (ServerSocketChannel server = listen(StandardProtocolFamily.INET6)) {
      SocketChannel client = SocketChannel.open(server.getLocalAddress());
      try (SocketChannel accepted = server.accept()) {
        client.setOption(StandardSocketOptions.SO_LINGER, 0);
        client.close();
        assertFalse(of(accepted).established());
      }
    }
  }

  /// The lines have the format of `/proc/net/tcp` and `/proc/net/tcp6` in Linux 6.1 on a
  /// little-endian processor.
  @Test
  void readsAddressesOfBothFamilies() {
    assertEquals(true, connection("10.1.2.3", 3260, "192.168.0.7", 51234).establishedIn(lines()));
    assertEquals(false, connection("10.1.2.3", 3260, "192.168.0.7", 51235).establishedIn(lines()));
    assertEquals(true, connection("fd00::1", 3260, "fd00::2", 40000).establishedIn(lines()));
    assertEquals(false, connection("fd00::1", 3260, "fd00::2", 40001).establishedIn(lines()));
  }

  private static Stream<String> lines() {
    return Stream.of(
        "   0: 0302010A:0CBC 0700A8C0:C822 01 00000000:00000000 00:00000000 00000000     0",
        "   1: 0302010A:0CBC 0700A8C0:C823 08 00000000:00000001 00:00000000 00000000     0",
        "   2: 000000FD000000000000000001000000:0CBC 000000FD000000000000000002000000:9C40 01 0:0");
  }

  private static TcpConnection connection(
      String local, int localPort, String remote, int remotePort) {
    return new TcpConnection(
        new InetSocketAddress(InetAddress.ofLiteral(local), localPort),
        new InetSocketAddress(InetAddress.ofLiteral(remote), remotePort));
  }
}
