package dev.pvcpopulators.registrystreamiscsi.settings;

import dev.pvcpopulators.iscsitarget.login.IscsiName;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The rules that select the initiators of a LUN.
///
/// @param names iSCSI names in their canonical form; empty for any name
/// @param networks networks that the initiators may connect from; empty for any address
public record InitiatorRules(List<String> names, List<Network> networks) {
  private static final int MOST = 1024;

  /// An IPv4 address with all four parts, or an IPv6 address. The JDK would also accept `10.1` and
  /// parse it as 10.0.0.1, but a user who writes `10.1` means the network 10.1.0.0.
  private static final Pattern ADDRESS =
      Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9a-fA-F.]*:[0-9a-fA-F:.]*");

  /// An address prefix.
  ///
  /// @param bits the prefix length in bits
  record Network(InetAddress address, int bits) {
    private static Network parse(String text) {
      int slash = text.indexOf('/');
      String address = slash < 0 ? text : text.substring(0, slash);
      if (!ADDRESS.matcher(address).matches()) {
        throw unknown(text);
      }
      try {
        InetAddress parsed = InetAddress.ofLiteral(address);
        int most = parsed.getAddress().length * Byte.SIZE;
        int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
        if (bits >= 0 && bits <= most) {
          return new Network(parsed, bits);
        }
      } catch (IllegalArgumentException _) {
        // The text is not an address, or the text after the slash is not a number.
      }
      throw unknown(text);
    }

    private static IllegalArgumentException unknown(String text) {
      return new IllegalArgumentException(
          "Expected an iSCSI name, an address or a network such as 10.0.0.0/8, found '"
              + text
              + "'");
    }

    boolean contains(InetAddress other) {
      byte[] ours = address.getAddress();
      byte[] theirs = other.getAddress();
      return ours.length == theirs.length && prefix(ours).equals(prefix(theirs));
    }

    private BigInteger prefix(byte[] bytes) {
      return new BigInteger(1, bytes).shiftRight(bytes.length * Byte.SIZE - bits);
    }
  }

  /// Parses rules: initiator names and networks.
  ///
  /// @throws IllegalArgumentException if an entry is neither a name nor a network, or there are too
  ///   many entries; the message states what is expected
  static InitiatorRules of(List<String> entries) {
    if (entries.size() > MOST) {
      throw new IllegalArgumentException("Expected at most " + MOST + " entries");
    }
    List<String> names = new ArrayList<>();
    List<Network> networks = new ArrayList<>();
    for (String entry : entries) {
      Optional<IscsiName> name = IscsiName.parse(entry.strip());
      if (name.isPresent()) {
        names.add(name.get().toString());
      } else {
        networks.add(Network.parse(entry.strip()));
      }
    }
    return new InitiatorRules(names, networks);
  }

  public InitiatorRules {
    names = List.copyOf(names);
    networks = List.copyOf(networks);
  }

  /// Returns whether the name is one of the names and the address is in one of the networks. An
  /// empty list of names admits any name. An empty list of networks admits any address.
  public boolean admits(String initiatorName, InetAddress address) {
    return (names.isEmpty() || names.contains(initiatorName))
        && (networks.isEmpty() || networks.stream().anyMatch(it -> it.contains(address)));
  }

  /// Returns whether every initiator is admitted.
  boolean open() {
    return names.isEmpty() && networks.isEmpty();
  }
}
