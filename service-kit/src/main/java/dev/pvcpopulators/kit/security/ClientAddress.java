package dev.pvcpopulators.kit.security;

import io.vertx.core.net.SocketAddress;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// The key by which a limit distinguishes clients: an IPv4 address, or the first 64 bits of an IPv6
/// address. The rest of an IPv6 address is not part of the key, because one host can use every
/// address that begins with the 64 bits of its network (RFC 4291, section 2.5.4).
final class ClientAddress {
  private static final int PREFIX_BYTES = 8;

  private ClientAddress() {}

  /// Returns the key of a connection's peer; a dash if the peer has no IP address.
  static String of(@Nullable SocketAddress address) {
    String literal = address == null ? null : address.hostAddress();
    return literal == null ? "-" : of(InetAddress.ofLiteral(literal));
  }

  static String of(InetAddress address) {
    return switch (address) {
      case Inet6Address ipv6 -> HexFormat.of().formatHex(ipv6.getAddress(), 0, PREFIX_BYTES);
      case InetAddress ipv4 -> ipv4.getHostAddress();
    };
  }
}
