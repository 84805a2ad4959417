package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// The targets behind a portal. Thread-safe.
public interface TargetDirectory {
  /// Returns the target with an iSCSI name.
  ///
  /// @param name in canonical form (see [IscsiName]), or empty, which names no target
  Optional<AccessControl> target(String name);

  /// Returns the access control of a discovery session: if any target in the initiator's list
  /// requires a secret, discovery requires one of those secrets, too.
  ///
  /// @return an access control that admits every initiator; the list is filtered for each initiator
  AccessControl discovery(String initiatorName, InetAddress address);

  /// Returns the targets that discovery reports to an initiator (RFC 7143, appendix C).
  List<Listing> listings(String initiatorName, InetAddress address);

  /// A target and its addresses.
  ///
  /// @param name in canonical form
  /// @param addresses `host:port` each, an IPv6 address in brackets; without the portal group tag
  record Listing(String name, List<String> addresses) {}
}
