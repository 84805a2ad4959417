package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.login.ChapIdentity;
import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The access rules of a fuzzed target.
enum KnownAccess implements AccessControl {
  /// Admits every initiator without authentication.
  OPEN,
  /// Admits an initiator that authenticates as [#USER] with [#SECRET].
  CHAP,
  /// Admits no initiator, and hides the target.
  HIDDEN;

  static final String USER = "me";
  static final String SECRET = "the right secret";

  private static final ChapSecret OURS =
      new ChapSecret("what the target knows".getBytes(StandardCharsets.UTF_8));

  @Override
  public boolean admits(String initiatorName, InetAddress address) {
    return this != HIDDEN;
  }

  @Override
  public boolean authenticates() {
    return this != OPEN;
  }

  @Override
  public Optional<ChapSecret> secret(String user) {
    return user.equals(USER)
        ? Optional.of(new ChapSecret(SECRET.getBytes(StandardCharsets.UTF_8)))
        : Optional.empty();
  }

  @Override
  public Optional<ChapIdentity> identity() {
    return Optional.of(new ChapIdentity("target", OURS));
  }
}
