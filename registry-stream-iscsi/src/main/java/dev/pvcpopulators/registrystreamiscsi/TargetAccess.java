package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.login.ChapIdentity;
import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/// Who may log in: whoever sees one of the LUNs. A login authenticates where a LUN wants it; which
/// LUNs it sees then is decided LUN by LUN.
final class TargetAccess implements AccessControl {
  private static final Logger LOG = Logger.getLogger(TargetAccess.class);

  private final Supplier<Collection<LunRequest>> luns;
  private final Optional<ChapAccount> own;

  /// @param luns those that there are now
  /// @param own what the target proves itself with
  TargetAccess(Supplier<Collection<LunRequest>> luns, Optional<ChapAccount> own) {
    this.luns = luns;
    this.own = own;
  }

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

  /// A secret that cannot be read now lets nobody in.
  private static Optional<ChapIdentity> read(ChapAccount account) {
    try {
      return Optional.of(account.identity());
    } catch (IOException | IllegalArgumentException e) {
      LOG.errorf("Reading the CHAP secret: file=%s: %s", account.file(), Reason.of(e));
      return Optional.empty();
    }
  }
}
