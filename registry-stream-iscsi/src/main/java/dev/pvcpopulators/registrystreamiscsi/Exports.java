package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.session.IscsiServer;
import dev.pvcpopulators.iscsitarget.session.SessionInfo;
import dev.pvcpopulators.iscsitarget.session.Target;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.volume.IscsiSource;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jboss.logging.Logger;

/// The target with its LUNs, as long as there is a volume. Thread-safe.
final class Exports implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Exports.class);

  private final RegistryStreamIscsiSettings settings;
  private final PortalAddress address;
  private final IscsiServer server;
  private final ScsiTarget device = new ScsiTarget();
  private final ConcurrentSkipListMap<Integer, ExportedLun> luns = new ConcurrentSkipListMap<>();

  /// Numbers that were given away and have no LUN yet.
  private final Map<Integer, LunRequest> reserved = new TreeMap<>();

  private Exports(
      RegistryStreamIscsiSettings settings,
      PortalAddress address,
      IscsiServer server,
      Optional<ChapAccount> own) {
    this.settings = settings;
    this.address = address;
    this.server = server;
    server.add(new Target(settings.target(), new TargetAccess(this::requests, own), device));
  }

  /// Binds the portals and offers the target, which has no LUN yet.
  static Exports open(
      RegistryStreamIscsiSettings settings, PortalAddress address, Optional<ChapAccount> own)
      throws IOException {
    IscsiServer server = IscsiServer.open(ServerSettings.of(settings, address));
    try {
      Exports exports = new Exports(settings, address, server, own);
      LOG.infof("The target listens: portals=%s target=%s", server.portals(), settings.target());
      return exports;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private Collection<LunRequest> requests() {
    return luns.values().stream().map(ExportedLun::request).toList();
  }

  /// Gives a number away.
  ///
  /// @return empty where the number that was asked for is taken
  Optional<Integer> reserve(LunRequest request) {
    synchronized (reserved) {
      if (request.lun().isPresent()) {
        int lun = request.lun().getAsInt();
        return taken(lun) ? Optional.empty() : Optional.of(reserve(lun, request));
      }
      int lun = 0;
      while (taken(lun)) {
        lun++;
      }
      return Optional.of(reserve(lun, request));
    }
  }

  private boolean taken(int lun) {
    return luns.containsKey(lun) || reserved.containsKey(lun);
  }

  private int reserve(int lun, LunRequest request) {
    reserved.put(lun, request);
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
    device.add(lun.number(), nexus -> sees(lun.request(), nexus), lun::unit);
    LOG.infof(
        "The LUN can be used: lun=%d image=%s digest=%s access=%s copy=%s bytes=%d",
        lun.number(),
        lun.request().image().reference(),
        lun.image().source(),
        LunRequest.word(lun.request().access()),
        LunRequest.word(lun.request().copy()),
        lun.length());
    if (lun.request().initiators().open() && lun.request().chap().isEmpty()) {
      LOG.warnf(
          "Every initiator that reaches the portal may use the LUN: lun=%d; set its initiators, or a"
              + " CHAP user",
          lun.number());
    }
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
          try {
            server.logOut(
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
    return server.sessions();
  }

  IscsiSource source(int lun) {
    return new IscsiSource(address.host(), port(), settings.target(), lun);
  }

  int port() {
    return server.portals().getFirst().getPort();
  }

  /// Asks all initiators to log out, then ends what is left. The LUNs are flushed and closed; what
  /// they store stays.
  @Override
  public void close() {
    try {
      server.close(settings.logoutGrace());
    } catch (InterruptedException _) {
      server.close();
      Thread.currentThread().interrupt();
    }
    luns.values().forEach(ExportedLun::close);
  }
}
