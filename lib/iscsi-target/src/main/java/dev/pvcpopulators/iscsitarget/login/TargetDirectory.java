package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// The targets that a portal leads to. Thread-safe.
public interface TargetDirectory {
  /// The target of that iSCSI name.
  ///
  /// @param name in canonical form (see [IscsiName]), or empty, which is no target's
  Optional<AccessControl> target(String name);

  /// What a discovery session has to prove: a secret that the targets ask for which it would be
  /// told of, if any of them does.
  ///
  /// @return one that admits everybody; the list is made for each initiator
  AccessControl discovery(String initiatorName, InetAddress address);

  /// What discovery tells an initiator (RFC 7143, appendix C).
  List<Listing> listings(String initiatorName, InetAddress address);

  /// A target and where to reach it.
  ///
  /// @param name in canonical form
  /// @param addresses `host:port` each, an IPv6 address in brackets; without the portal group tag
  record Listing(String name, List<String> addresses) {}
}
