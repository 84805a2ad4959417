package dev.pvcpopulators.registrystreamiscsi.export;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.session.IscsiServer;
import dev.pvcpopulators.iscsitarget.session.LoginStatistics;
import dev.pvcpopulators.iscsitarget.session.SessionInfo;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.settings.ChapAccount;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.PortalAddress;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The iSCSI target of a volume, with its LUNs. Thread-safe.
public final class Exports implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Exports.class);

  private final RegistryStreamIscsiSettings settings;
  private final PortalAddress address;
  private final Optional<ChapAccount> own;
  private final boolean openAllowed;
  private volatile @Nullable IscsiServer server;
  private final ScsiTarget device = new ScsiTarget();
  private final ConcurrentSkipListMap<Integer, ExportedLun> luns = new ConcurrentSkipListMap<>();

  /// LUN numbers that are reserved, but have no exported LUN.
  private final Set<Integer> reserved = new TreeSet<>();

  /// Creates a target that has no LUNs and does not listen yet.
  ///
  /// @param own the target's own credentials for mutual CHAP
  /// @param openAllowed whether a LUN may be offered to every initiator that reaches the portal
  public Exports(
      RegistryStreamIscsiSettings settings,
      PortalAddress address,
      Optional<ChapAccount> own,
      boolean openAllowed) {
    this.settings = settings;
    this.address = address;
    this.own = own;
    this.openAllowed = openAllowed;
  }

  /// Binds the portals. Call this method after the LUNs of the previous run are exported, because
  /// an initiator that does not find its LUN gives up.
  public void listen() throws IOException {
    IscsiServer opened = IscsiServer.open(address.options(settings));
    opened.add(new Target(settings.target(), new TargetAccess(this::requests, own), device));
    server = opened;
    LOG.infof("The target listens: portals=%s target=%s", opened.portals(), settings.target());
  }

  private Collection<LunRequest> requests() {
    return luns.values().stream().map(ExportedLun::request).toList();
  }

  /// Returns the reason to refuse a LUN that admits every initiator; empty if the LUN is accepted.
  public Optional<String> refusal(LunRequest request) {
    return openAllowed || !request.isOpen()
        ? Optional.empty()
        : Optional.of(
            "expected a CHAP user or initiators, since other machines reach the portal, found"
                + " neither: set REGISTRY_STREAM_ISCSI_CHAP_USER or"
                + " REGISTRY_STREAM_ISCSI_INITIATORS, name initiators in the request, or set"
                + " REGISTRY_STREAM_ISCSI_AUTH=none to admit every initiator");
  }

  /// Reserves the requested LUN number; if the request has none, the lowest free number.
  ///
  /// @return the reserved number; empty if the requested number is taken
  public Optional<Integer> reserve(LunRequest request) {
    synchronized (reserved) {
      int lun = request.lun().orElse(0);
      while (request.lun().isEmpty() && taken(lun)) {
        lun++;
      }
      return taken(lun) ? Optional.empty() : Optional.of(reserve(lun));
    }
  }

  private boolean taken(int lun) {
    return luns.containsKey(lun) || reserved.contains(lun);
  }

  /// Reserves the given number.
  int reserve(int lun) {
    synchronized (reserved) {
      reserved.add(lun);
    }
    return lun;
  }

  /// Releases a reserved number that has no exported LUN.
  public void giveBack(int lun) {
    synchronized (reserved) {
      reserved.remove(lun);
    }
  }

  /// Exports a LUN under a number that was reserved for it.
  void add(ExportedLun lun) {
    synchronized (reserved) {
      luns.put(lun.number(), lun);
      reserved.remove(lun.number());
    }
    device.add(lun.number(), nexus -> sees(lun.request(), nexus), lun::unit, lun::left);
    LOG.infof(
        "The LUN can be used: lun=%d image=%s digest=%s access=%s copy=%s bytes=%d",
        lun.number(),
        lun.request().image().reference(),
        lun.image().source(),
        LunRequest.word(lun.request().access()),
        LunRequest.word(lun.request().copy()),
        lun.length());
    if (lun.request().isOpen()) {
      LOG.warnf(
          "Every initiator that reaches the portal may use the LUN: lun=%d; set its initiators, or a"
              + " CHAP user",
          lun.number());
    }
  }

  /// Stops exporting a LUN, and closes it. Its number stays reserved.
  void withdraw(ExportedLun lun) {
    synchronized (reserved) {
      reserved.add(lun.number());
      luns.remove(lun.number(), lun);
    }
    device.remove(lun.number());
    lun.close();
  }

  private static boolean sees(LunRequest request, Nexus nexus) {
    boolean authenticated =
        request.chap().isEmpty() || nexus.user().equals(request.chap().map(ChapAccount::user));
    return authenticated
        && request.initiators().admits(nexus.port().initiatorName(), nexus.address());
  }

  /// Logs out all sessions that see the given LUN, because the content of the LUN's image is or may
  /// be wrong. Runs in the background.
  void dropSessions(ExportedLun lun, String reason) {
    LOG.errorf("The LUN failed; its initiators are logged out: lun=%d: %s", lun.number(), reason);
    Thread.ofVirtual()
        .name("log-out-lun-" + lun.number())
        .start(() -> {
          IscsiServer listening = server;
          if (listening == null) {
            return;
          }
          try {
            listening.logOut(
                settings.target(), nexus -> sees(lun.request(), nexus), settings.logoutGrace());
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /// Returns the LUN that was created for an equal request; empty if there is none.
  public Optional<ExportedLun> requestedBy(VolumeRequest request) {
    return luns.values().stream().filter(it -> request.equals(it.record().request())).findFirst();
  }

  public Collection<ExportedLun> luns() {
    return luns.values();
  }

  public List<SessionInfo> sessions() {
    IscsiServer listening = server;
    return listening == null ? List.of() : listening.sessions();
  }

  /// Returns the number of logins by outcome, since the target began to listen.
  public LoginStatistics logins() {
    IscsiServer listening = server;
    return listening == null ? new LoginStatistics(0, 0, 0) : listening.logins();
  }

  public IscsiSource source(int lun) {
    return new IscsiSource(address.host(), port(), settings.target(), lun);
  }

  /// Returns the portal's port; the configured port if the target does not listen.
  int port() {
    IscsiServer listening = server;
    return listening == null ? settings.port() : listening.portals().getFirst().getPort();
  }

  /// Asks all initiators to log out, then closes the remaining connections. Flushes and closes the
  /// LUNs; stored data stays.
  @Override
  public void close() {
    IscsiServer listening = server;
    if (listening != null) {
      try {
        listening.close(settings.logoutGrace());
      } catch (InterruptedException _) {
        listening.close();
        Thread.currentThread().interrupt();
      }
    }
    luns.values().forEach(ExportedLun::close);
  }
}
