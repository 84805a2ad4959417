package dev.pvcpopulators.registry.remote;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/// What is special about an address that means something else on each machine, or no single place
/// at all: what strangers may not have this one connect to.
enum Locality {
  /// Loopback (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3), unspecified, which Linux connects to loopback
  /// too, and the addresses of this machine's or pod's own interfaces.
  THIS_MACHINE("on this machine"),

  /// Link-local (RFC 3927, RFC 4291 §2.5.6): clouds tell instances their credentials there. With it
  /// the addresses outside of those networks where some of them do the same.
  LINK("on this link, where clouds have their metadata"),

  /// Multicast (RFC 5771, RFC 4291 §2.7) and broadcast (RFC 919).
  MANY("no single place");

  /// Amazon's and Google's by IPv6, Alibaba's, Azure's.
  private static final Set<InetAddress> METADATA =
      Set.of(
          InetAddress.ofLiteral("fd00:ec2::254"),
          InetAddress.ofLiteral("fd20:ce::254"),
          InetAddress.ofLiteral("100.100.100.200"),
          InetAddress.ofLiteral("168.63.129.16"));

  private static final InetAddress BROADCAST = InetAddress.ofLiteral("255.255.255.255");

  private static final int IPV4_LENGTH = 4;

  // 64:ff9b::/96, RFC 6052.
  private static final byte[] NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

  // ::/96, RFC 4291 §2.5.5.1.
  private static final byte[] COMPATIBLE = new byte[NAT64.length];

  // 2002::/16, RFC 3056.
  private static final byte[] SIX_TO_FOUR = {0x20, 0x02};

  private final String words;

  Locality(String words) {
    this.words = words;
  }

  /// As it follows "which is".
  String words() {
    return words;
  }

  /// Empty for the addresses that mean one place to everybody, private networks' among them.
  ///
  /// @throws SocketException where this machine's own addresses cannot be found out
  static Optional<Locality> of(InetAddress address) throws SocketException {
    if (address.isLoopbackAddress() || address.isAnyLocalAddress()) {
      return Optional.of(THIS_MACHINE);
    }
    InetAddress meant = meant(address);
    boolean here =
        meant.isLoopbackAddress()
            // 0.0.0.0/8, "this network" (RFC 791 §3.2).
            || (meant.getAddress().length == IPV4_LENGTH && meant.getAddress()[0] == 0)
            || NetworkInterface.getByInetAddress(meant) != null;
    if (here) {
      return Optional.of(THIS_MACHINE);
    }
    if (meant.isLinkLocalAddress() || METADATA.contains(meant)) {
      return Optional.of(LINK);
    }
    return meant.isMulticastAddress() || meant.equals(BROADCAST)
        ? Optional.of(MANY)
        : Optional.empty();
  }

  /// The IPv4 address that an IPv6 address is translated or tunnelled to, where it has one inside.
  private static InetAddress meant(InetAddress address) {
    if (!(address instanceof Inet6Address)) {
      return address;
    }
    byte[] bytes = address.getAddress();
    if (beginsWith(bytes, NAT64) || beginsWith(bytes, COMPATIBLE)) {
      return ipv4(bytes, NAT64.length);
    }
    return beginsWith(bytes, SIX_TO_FOUR) ? ipv4(bytes, SIX_TO_FOUR.length) : address;
  }

  private static boolean beginsWith(byte[] bytes, byte[] prefix) {
    return Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }

  private static InetAddress ipv4(byte[] bytes, int offset) {
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(bytes, offset, offset + IPV4_LENGTH));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("Four bytes are an address", e);
    }
  }
}
