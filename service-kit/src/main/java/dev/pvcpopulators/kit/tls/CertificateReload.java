package dev.pvcpopulators.kit.tls;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.tls.CertificateUpdatedEvent;
import io.quarkus.tls.TlsConfiguration;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;

/// Reloads the certificate and its key only if one of their files has changed. Quarkus's own reload
/// builds a new TLS context in every period, and handshakes at that moment fail. If the certificate
/// does not match the key, both new files are refused, and the previous pair is still served.
@ApplicationScoped
class CertificateReload {
  private static final Logger LOG = System.getLogger(CertificateReload.class.getName());

  private static final String KEPT = "the one before is still served";
  private static final String REFUSED = "it cannot be used; " + KEPT;

  private final PopulatorSettings.Tls settings;
  private final TlsConfigurationRegistry registry;
  private final Event<CertificateUpdatedEvent> updated;
  private final Vertx vertx;
  private final List<Path> files = new ArrayList<>();
  private String served = "";

  /// The contents that were refused last. They are kept, so that the same contents cause only one
  /// warning.
  private String refused = "";

  private long timer = -1;

  CertificateReload(
      PopulatorSettings settings,
      TlsConfigurationRegistry registry,
      Event<CertificateUpdatedEvent> updated,
      Vertx vertx) {
    this.settings = settings.tls();
    this.registry = registry;
    this.updated = updated;
    this.vertx = vertx;
  }

  void begin(@Observes StartupEvent event) throws IOException {
    if (settings.certificate().isEmpty() || settings.key().isEmpty()) {
      return;
    }
    files.add(settings.certificate().get());
    files.add(settings.key().get());
    served = contents();
    timer =
        vertx.setPeriodic(
            settings.reloadPeriod().toMillis(),
            _ -> Thread.ofVirtual().name("certificate-reload").start(this::look));
  }

  void end(@Observes ShutdownEvent event) {
    vertx.cancelTimer(timer);
  }

  private synchronized void look() {
    try {
      String now = contents();
      if (now.equals(served) || now.equals(refused)) {
        return;
      }
      refused = now;
      CertificatePair.check(vertx, files.getFirst(), files.getLast());
      TlsConfiguration tls = registry.getDefault().orElseThrow();
      if (tls.reload()) {
        served = now;
        refused = "";
        updated.fire(new CertificateUpdatedEvent(tls.getName(), tls));
      } else {
        LOG.log(Level.WARNING, "Reloading the certificate {0}: {1}", files.getFirst(), REFUSED);
      }
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      // Perhaps only one of the two files has been replaced so far; the next check may find both
      // files replaced.
      LOG.log(
          Level.WARNING,
          "Reloading the certificate {0}: {1}; {2}",
          files.getFirst(),
          e.getMessage(),
          KEPT);
    }
  }

  /// Returns the contents of both files. The contents are compared, because the modification times
  /// of a mounted Secret are unreliable. The files are small.
  private String contents() throws IOException {
    StringBuilder contents = new StringBuilder();
    for (Path file : files) {
      contents.append(Files.readString(file)).append('\n');
    }
    return contents.toString();
  }
}
