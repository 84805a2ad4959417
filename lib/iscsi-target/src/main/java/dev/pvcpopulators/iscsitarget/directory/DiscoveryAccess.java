package dev.pvcpopulators.iscsitarget.directory;

import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.login.ChapIdentity;
import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// The access control of a discovery session. If any target that the initiator may see requires
/// authentication, the initiator must authenticate as a CHAP user of one of the targets that the
/// initiator may see.
///
/// @param targets the access controls of the targets that admit the initiator
record DiscoveryAccess(List<AccessControl> targets) implements AccessControl {
  /// Returns true for every initiator. An initiator that may not see any target gets an empty list
  /// of targets.
  @Override
  public boolean admits(String initiatorName, InetAddress address) {
    return true;
  }

  @Override
  public boolean authenticates() {
    return targets.stream().anyMatch(AccessControl::authenticates);
  }

  @Override
  public Optional<ChapSecret> secret(String user) {
    return targets.stream().flatMap(it -> it.secret(user).stream()).findFirst();
  }

  @Override
  public Optional<ChapIdentity> identity() {
    return targets.stream().flatMap(it -> it.identity().stream()).findFirst();
  }
}
