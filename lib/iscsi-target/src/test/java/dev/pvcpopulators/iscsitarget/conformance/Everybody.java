package dev.pvcpopulators.iscsitarget.conformance;

import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.login.ChapIdentity;
import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import java.net.InetAddress;
import java.util.Optional;

/// Access control that admits every initiator without authentication.
record Everybody() implements AccessControl {
  @Override
  public boolean admits(String initiatorName, InetAddress address) {
    return true;
  }

  @Override
  public boolean authenticates() {
    return false;
  }

  @Override
  public Optional<ChapSecret> secret(String user) {
    return Optional.empty();
  }

  @Override
  public Optional<ChapIdentity> identity() {
    return Optional.empty();
  }
}
