package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.util.Optional;

/// Who may log in to a target, and how it proves who it is. Asked at every login, so that what a
/// mounted secret says now counts. Thread-safe.
public interface AccessControl {
  /// Whether the initiator may know of the target at all: decides what SendTargets lists, and a
  /// login to a target that it may not know of ends with "not found".
  ///
  /// @param initiatorName in canonical form (see [IscsiName]): a list of names to compare it with
  ///   has to be in that form, too
  boolean admits(String initiatorName, InetAddress address);

  /// Whether a login has to authenticate.
  boolean authenticates();

  /// The secret of a CHAP user.
  ///
  /// @return empty where there is no such user; the exchange then goes on to its end and fails like
  ///   one with a wrong secret
  Optional<ChapSecret> secret(String user);

  /// What the target proves itself with, where the initiator asks for it (mutual CHAP).
  Optional<ChapIdentity> identity();
}
