package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// The targets behind a portal. Thread-safe.
public interface TargetDirectory {
  /// Returns the access control of the target with the given iSCSI name; empty if there is no such
  /// target.
  ///
  /// @param name the name in canonical form (see [IscsiName]); no target has an empty name
  Optional<AccessControl> target(String name);

  /// Returns the access control of a discovery session. If any target that [#listings] returns for
  /// the initiator requires authentication, the discovery session also requires authentication. The
  /// initiator then authenticates with a secret of one of the targets that [#listings] returns.
  ///
  /// @return an access control that admits every initiator name and address, even if [#listings]
  ///   returns no target for the initiator
  AccessControl discovery(String initiatorName, InetAddress address);

  /// Returns the targets that discovery reports to an initiator (RFC 7143, appendix C).
  List<Listing> listings(String initiatorName, InetAddress address);

  /// A target and its addresses.
  ///
  /// @param name the target's name in canonical form
  /// @param addresses the addresses, each as `host:port` without the portal group tag; an IPv6
  ///   address is in brackets
  record Listing(String name, List<String> addresses) {}
}
