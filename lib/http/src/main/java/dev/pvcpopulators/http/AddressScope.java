package dev.pvcpopulators.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// A scope of addresses to which a remote server's response must not lead: this machine; link-local
/// addresses and metadata services; or multicast and broadcast. Other addresses, including the
/// addresses of private networks, have no scope here.
enum AddressScope {
  /// Loopback (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3), the unspecified address (on Linux, a connection
  /// to this address reaches loopback), the rest of 0.0.0.0/8, and the addresses of the interfaces
  /// of this machine or pod.
  THIS_MACHINE("on this machine"),

  /// Link-local addresses (RFC 3927, RFC 4291 §2.5.6) and other addresses at which clouds serve
  /// credentials to their virtual machines.
  LINK("on this link, where clouds serve their metadata"),

  /// Multicast (RFC 5771, RFC 4291 §2.7) and broadcast (RFC 919).
  MANY("no single place");

  /// The addresses of metadata services outside the link-local ranges: the IPv6 addresses of
  /// Amazon, Google and Scaleway, and the IPv4 addresses of Alibaba, Oracle and Azure.
  private static final Set<InetAddress> METADATA =
      Set.of(
          InetAddress.ofLiteral("fd00:ec2::254"),
          InetAddress.ofLiteral("fd20:ce::254"),
          InetAddress.ofLiteral("fd00:42::42"),
          InetAddress.ofLiteral("100.100.100.200"),
          InetAddress.ofLiteral("192.0.0.192"),
          InetAddress.ofLiteral("168.63.129.16"));

  private static final InetAddress BROADCAST = InetAddress.ofLiteral("255.255.255.255");

  private static final int IPV4_LENGTH = 4;

  // 64:ff9b::/96, RFC 6052.
  private static final byte[] NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

  // 64:ff9b:1::/48, RFC 8215: each network chooses the length of its translation prefix.
  private static final byte[] LOCAL_NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 1};

  // ::ffff:0:0:0/96, RFC 2765 §2.1.
  private static final byte[] SIIT = {0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff, 0, 0};

  // 2001::/32 (Teredo, RFC 4380): the IPv4 address of the Teredo server follows this prefix. The
  // IPv4 address of the Teredo client is at the end, with all bits inverted.
  private static final byte[] TEREDO = {0x20, 0x01, 0, 0};

  private static final int LAST = 12;

  // The index of the reserved byte "u" (RFC 6052 §2.2).
  private static final int RESERVED = 8;

  // ::/96, RFC 4291 §2.5.5.1.
  private static final byte[] COMPATIBLE = new byte[NAT64.length];

  // 2002::/16, RFC 3056.
  private static final byte[] SIX_TO_FOUR = {0x20, 0x02};

  private final String words;

  AddressScope(String words) {
    this.words = words;
  }

  /// Returns the description for messages, where it follows the words "which is".
  String words() {
    return words;
  }

  /// Returns the scope of an address; empty for an address without a scope.
  ///
  /// @throws SocketException if the addresses of this machine cannot be determined
  static Optional<AddressScope> of(InetAddress address) throws SocketException {
    if (address.isLoopbackAddress() || address.isAnyLocalAddress()) {
      return Optional.of(THIS_MACHINE);
    }
    // The address itself is checked even if it has a prefix for translation, because an interface
    // of this machine may have an address with such a prefix.
    Optional<AddressScope> scope = ofOne(address);
    for (InetAddress inside : embedded(address)) {
      if (scope.isEmpty()) {
        scope = ofOne(inside);
      }
    }
    return scope;
  }

  private static Optional<AddressScope> ofOne(InetAddress address) throws SocketException {
    boolean here =
        address.isLoopbackAddress()
            // 0.0.0.0/8, "this network" (RFC 791 §3.2).
            || (address.getAddress().length == IPV4_LENGTH && address.getAddress()[0] == 0)
            || NetworkInterface.getByInetAddress(address) != null;
    if (here) {
      return Optional.of(THIS_MACHINE);
    }
    if (address.isLinkLocalAddress() || METADATA.contains(address)) {
      return Optional.of(LINK);
    }
    return address.isMulticastAddress() || address.equals(BROADCAST)
        ? Optional.of(MANY)
        : Optional.empty();
  }

  /// Returns the IPv4 addresses to which an IPv6 address may be translated or tunnelled; empty if
  /// the address has no prefix for translation or tunnels.
  private static List<InetAddress> embedded(InetAddress address) {
    if (!(address instanceof Inet6Address)) {
      return List.of();
    }
    byte[] bytes = address.getAddress();
    if (beginsWith(bytes, NAT64) || beginsWith(bytes, COMPATIBLE) || beginsWith(bytes, SIIT)) {
      return List.of(ipv4(bytes, LAST));
    }
    if (beginsWith(bytes, LOCAL_NAT64)) {
      // The network may use a prefix of 48, 56, 64 or 96 bits; each length gives another IPv4
      // address. An IPv4 address that begins with a zero byte is ignored, because no translator has
      // a route to 0.0.0.0/8: the zero byte is padding, and the network uses another prefix length.
      // The IPv6 address has a scope if any of the remaining IPv4 addresses has a scope.
      return Stream.of(
              translated(bytes, 48),
              translated(bytes, 56),
              translated(bytes, 64),
              ipv4(bytes, LAST))
          .filter(inside -> inside.getAddress()[0] != 0)
          .toList();
    }
    if (beginsWith(bytes, TEREDO)) {
      byte[] inverted = bytes.clone();
      for (int at = LAST; at < inverted.length; at++) {
        inverted[at] = (byte) ~inverted[at];
      }
      return List.of(ipv4(bytes, TEREDO.length), ipv4(inverted, LAST));
    }
    return beginsWith(bytes, SIX_TO_FOUR) ? List.of(ipv4(bytes, SIX_TO_FOUR.length)) : List.of();
  }

  /// Returns the IPv4 address after a prefix of `prefixBits` bits; skips byte 8 (RFC 6052 §2.2).
  private static InetAddress translated(byte[] bytes, int prefixBits) {
    byte[] four = new byte[IPV4_LENGTH];
    int from = prefixBits / Byte.SIZE;
    for (int at = 0; at < IPV4_LENGTH; at++) {
      if (from == RESERVED) {
        from++;
      }
      four[at] = bytes[from++];
    }
    return ipv4(four, 0);
  }

  private static boolean beginsWith(byte[] bytes, byte[] prefix) {
    return Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }

  private static InetAddress ipv4(byte[] bytes, int offset) {
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(bytes, offset, offset + IPV4_LENGTH));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("Four bytes are always an address", e);
    }
  }
}
