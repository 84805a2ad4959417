package dev.pvcpopulators.kit.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.kit.lifecycle.Certificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateMetricsTest {
  @TempDir Path directory;

  @Test
  void givesTheExpiryOfTheCertificate() throws Exception {
    KeyStore keys = Certificates.make(directory, "service");
    X509Certificate made = (X509Certificate) keys.getCertificate(keys.aliases().nextElement());
    assertEquals(
        (double) made.getNotAfter().toInstant().getEpochSecond(),
        CertificateMetrics.expiry(directory.resolve("tls.crt")));
  }

  /// The result must not be a large number: with an expiry in the far future, the alert never
  /// fires.
  @Test
  void givesNoNumberForAnEmptyFile() throws Exception {
    Path empty = Files.createFile(directory.resolve("tls.crt"));
    assertEquals(Double.NaN, CertificateMetrics.expiry(empty));
  }
}
