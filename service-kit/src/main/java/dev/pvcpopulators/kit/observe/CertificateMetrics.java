package dev.pvcpopulators.kit.observe;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.concurrent.TimeUnit;

/// `pvc_populator_certificate_expiry_timestamp_seconds`: the earliest expiry of the certificates in
/// the certificate file, in seconds since 1970. The metric is present only if HTTPS is on.
@ApplicationScoped
class CertificateMetrics {
  private final MeterRegistry registry;
  private final PopulatorSettings.Tls tls;

  CertificateMetrics(MeterRegistry registry, PopulatorSettings settings) {
    this.registry = registry;
    this.tls = settings.tls();
  }

  void begin(@Observes StartupEvent event) {
    if (tls.certificate().isPresent() && tls.key().isPresent()) {
      TimeGauge.builder(
              "pvc.populator.certificate.expiry.timestamp",
              tls.certificate().get(),
              TimeUnit.SECONDS,
              CertificateMetrics::expiry)
          .description("Expiry time of the certificate file, in seconds since 1970")
          .register(registry);
    }
  }

  /// Returns the earliest expiry of the certificates in the file, in seconds since 1970; NaN if the
  /// file is empty. The file is read each time, because a mounted Secret can change. If this method
  /// throws, Micrometer reports NaN.
  static double expiry(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      double earliest = Double.NaN;
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        if (each instanceof X509Certificate certificate) {
          double expiry = (double) certificate.getNotAfter().toInstant().getEpochSecond();
          earliest = Double.isNaN(earliest) ? expiry : Math.min(earliest, expiry);
        }
      }
      return earliest;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (CertificateException e) {
      throw new IllegalStateException("Reading the certificate in " + file, e);
    }
  }
}
