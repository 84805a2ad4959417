package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.session.IscsiServer;
import dev.pvcpopulators.iscsitarget.session.LoginStatistics;
import dev.pvcpopulators.iscsitarget.session.SessionInfo;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.volume.IscsiSource;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The target with its LUNs, as long as there is a volume. Thread-safe.
final class Exports implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Exports.class);

  private final RegistryStreamIscsiSettings settings;
  private final PortalAddress address;
  private final Optional<ChapAccount> own;
  private final boolean openAllowed;
  private volatile @Nullable IscsiServer server;
  private final ScsiTarget device = new ScsiTarget();
  private final ConcurrentSkipListMap<Integer, ExportedLun> luns = new ConcurrentSkipListMap<>();

  /// Numbers that were given away and have no LUN yet.
  private final Set<Integer> reserved = new TreeSet<>();

  /// A target that nobody reaches, without LUNs.
  ///
  /// @param own what the target proves itself with
  /// @param openAllowed whether a LUN may be offered to every initiator that reaches the portal
  Exports(
      RegistryStreamIscsiSettings settings,
      PortalAddress address,
      Optional<ChapAccount> own,
      boolean openAllowed) {
    this.settings = settings;
    this.address = address;
    this.own = own;
    this.openAllowed = openAllowed;
  }

  /// Binds the portals. LUNs that initiators had before a restart are there by then: who does not
  /// find its LUN gives up.
  void listen() throws IOException {
    IscsiServer opened = IscsiServer.open(ServerSettings.of(settings, address));
    opened.add(new Target(settings.target(), new TargetAccess(this::requests, own), device));
    server = opened;
    LOG.infof("The target listens: portals=%s target=%s", opened.portals(), settings.target());
  }

  private Collection<LunRequest> requests() {
    return luns.values().stream().map(ExportedLun::request).toList();
  }

  /// Returns the reason to refuse a LUN because of the initiators that could use it; empty where
  /// there is none.
  Optional<String> refusal(LunRequest request) {
    return openAllowed || !request.isOpen()
        ? Optional.empty()
        : Optional.of(
            "expected a CHAP user or initiators, since other machines reach the portal, found"
                + " neither: set REGISTRY_STREAM_ISCSI_CHAP_USER or"
                + " REGISTRY_STREAM_ISCSI_INITIATORS, name initiators in the request, or set"
                + " REGISTRY_STREAM_ISCSI_AUTH=none to admit every initiator");
  }

  /// Gives a number away.
  ///
  /// @return empty where the number that was asked for is taken
  Optional<Integer> reserve(LunRequest request) {
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

  /// Gives a number to nobody else.
  int reserve(int lun) {
    synchronized (reserved) {
      reserved.add(lun);
    }
    return lun;
  }

  /// Gives a number back that no LUN came of.
  void giveBack(int lun) {
    synchronized (reserved) {
      reserved.remove(lun);
    }
  }

  /// Offers a LUN under a number that was reserved for it.
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

  /// Offers a LUN no longer, and closes it. Its number stays reserved.
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

  /// Logs out all who use the LUN, in the background: its disk turned out to be another.
  void dropSessions(ExportedLun lun, String reason) {
    LOG.errorf("The LUN fails and its initiators are logged out: lun=%d: %s", lun.number(), reason);
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

  Collection<ExportedLun> luns() {
    return luns.values();
  }

  List<SessionInfo> sessions() {
    IscsiServer listening = server;
    return listening == null ? List.of() : listening.sessions();
  }

  /// How logins have ended since the target listens.
  LoginStatistics logins() {
    IscsiServer listening = server;
    return listening == null ? new LoginStatistics(0, 0, 0) : listening.logins();
  }

  IscsiSource source(int lun) {
    return new IscsiSource(address.host(), port(), settings.target(), lun);
  }

  /// The port of the portal; of a target that does not listen, as it is configured.
  int port() {
    IscsiServer listening = server;
    return listening == null ? settings.port() : listening.portals().getFirst().getPort();
  }

  /// Asks all initiators to log out, then ends what is left. The LUNs are flushed and closed; what
  /// they store stays.
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
