package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.util.Optional;

/// Decides which initiators may log in to a target, and how they authenticate. Every login calls
/// it, so that a changed secret file takes effect. Thread-safe.
public interface AccessControl {
  /// Returns whether the initiator may see the target. SendTargets lists only such targets; a login
  /// to any other target ends with "not found".
  ///
  /// @param initiatorName in canonical form (see [IscsiName]); a name that is compared with it must
  ///   be canonical, too
  boolean admits(String initiatorName, InetAddress address);

  /// Returns whether a login has to authenticate.
  boolean authenticates();

  /// Returns the secret of a CHAP user.
  ///
  /// @return empty if there is no such user; the exchange then continues to its end and fails as
  ///   with a wrong secret
  Optional<ChapSecret> secret(String user);

  /// Returns the identity with which the target answers the initiator's challenge (mutual CHAP).
  Optional<ChapIdentity> identity();
}
