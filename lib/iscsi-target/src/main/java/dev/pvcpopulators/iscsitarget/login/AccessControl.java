package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.util.Optional;

/// Decides which initiators may log in to a target, and how they authenticate. It is asked at every
/// login, so that the present content of a mounted secret counts. Thread-safe.
public interface AccessControl {
  /// Whether the initiator may know that the target exists. This decides what SendTargets lists; a
  /// login to a target that the initiator may not know of ends with "not found".
  ///
  /// @param initiatorName in canonical form (see [IscsiName]); names to compare it with must have
  ///   that form, too
  boolean admits(String initiatorName, InetAddress address);

  /// Whether a login has to authenticate.
  boolean authenticates();

  /// Returns the secret of a CHAP user.
  ///
  /// @return empty if there is no such user; the exchange then continues to its end and fails as
  ///   with a wrong secret
  Optional<ChapSecret> secret(String user);

  /// Returns the identity with which the target answers the initiator's challenge (mutual CHAP).
  Optional<ChapIdentity> identity();
}
