package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.util.Optional;

/// Decides which initiators may log in to a target, and how they authenticate. Every login calls
/// these methods again, so that changed access rules or secrets apply to the next login.
/// Thread-safe.
public interface AccessControl {
  /// Returns whether the initiator may see the target. SendTargets lists only targets that the
  /// initiator may see; a login to any other target ends with "not found".
  ///
  /// @param initiatorName the initiator's name in canonical form (see [IscsiName]); compare this
  ///   name only with names in canonical form
  boolean admits(String initiatorName, InetAddress address);

  /// Returns whether an initiator has to authenticate when it logs in.
  boolean authenticates();

  /// Returns the secret of a CHAP user.
  ///
  /// @return the secret; empty if there is no such user. For an unknown user, the exchange
  ///   continues to its end, and then fails in the same way as after a wrong secret
  Optional<ChapSecret> secret(String user);

  /// Returns the identity with which the target answers the initiator's challenge (mutual CHAP).
  ///
  /// @return the identity; empty if the target has none. Without an identity, a login fails if the
  ///   initiator sends a challenge
  Optional<ChapIdentity> identity();
}
