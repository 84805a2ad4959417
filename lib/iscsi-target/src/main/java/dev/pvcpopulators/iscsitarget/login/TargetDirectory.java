package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// The targets behind a portal. Thread-safe.
public interface TargetDirectory {
  /// Returns the access control of the target with an iSCSI name; empty if there is no such target.
  ///
  /// @param name the name in canonical form (see [IscsiName]); no target has an empty name
  Optional<AccessControl> target(String name);

  /// Returns the access control of a discovery session: if any target in the initiator's list
  /// requires a secret, discovery also requires one of these secrets.
  ///
  /// @return an access control that admits every initiator name and address, even if the
  ///   initiator's list of targets is empty
  AccessControl discovery(String initiatorName, InetAddress address);

  /// Returns the targets that discovery reports to an initiator (RFC 7143, appendix C).
  List<Listing> listings(String initiatorName, InetAddress address);

  /// A target and its addresses.
  ///
  /// @param name in canonical form
  /// @param addresses the addresses, each as `host:port` without the portal group tag; an IPv6
  ///   address is in brackets
  record Listing(String name, List<String> addresses) {}
}
