package dev.pvcpopulators.registrystreamiscsi.export;

import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.login.ChapIdentity;
import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import dev.pvcpopulators.registrystreamiscsi.settings.ChapAccount;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/// Authenticates logins for the LUNs. An initiator may log in if the initiator rules of at least
/// one LUN admit it. The initiator must authenticate if any LUN requires CHAP. After the login, the
/// rules of each LUN decide whether the initiator sees this LUN.
///
/// @param luns the current LUNs
/// @param own the target's own credentials for mutual CHAP
record TargetAccess(Supplier<Collection<LunRequest>> luns, Optional<ChapAccount> own)
    implements AccessControl {
  private static final Logger LOG = Logger.getLogger(TargetAccess.class);

  @Override
  public boolean admits(String initiatorName, InetAddress address) {
    return luns.get().stream().anyMatch(it -> it.initiators().admits(initiatorName, address));
  }

  @Override
  public boolean authenticates() {
    return luns.get().stream().anyMatch(it -> it.chap().isPresent());
  }

  @Override
  public Optional<ChapSecret> secret(String user) {
    return luns.get().stream()
        .flatMap(it -> it.chap().stream())
        .filter(it -> it.user().equals(user))
        .findFirst()
        .flatMap(TargetAccess::read)
        .map(ChapIdentity::secret);
  }

  @Override
  public Optional<ChapIdentity> identity() {
    return own.flatMap(TargetAccess::read);
  }

  /// Reads a secret. Returns empty if the secret cannot be read; a login that needs the secret then
  /// fails.
  private static Optional<ChapIdentity> read(ChapAccount account) {
    try {
      return Optional.of(account.identity());
    } catch (IOException | IllegalArgumentException e) {
      LOG.errorf("Reading the CHAP secret: file=%s: %s", account.file(), Reason.of(e));
      return Optional.empty();
    }
  }
}
