package dev.pvcpopulators.volume.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Creates TLS contexts that trust only the certification authorities in a PEM file.
final class Authorities {
  private static final int MAX_BYTES = 1 << 20;

  private Authorities() {}

  /// Returns a TLS context that trusts the certificates of a PEM file.
  ///
  /// @throws IOException if the file cannot be read, is longer than 1 MiB, or contains no
  ///   certificate or an invalid one
  static SSLContext trusting(Path pem) throws IOException {
    byte[] bytes;
    try (InputStream file = Files.newInputStream(pem)) {
      bytes = file.readNBytes(MAX_BYTES + 1);
    }
    if (bytes.length > MAX_BYTES) {
      throw new IOException(pem + ": expected at most " + MAX_BYTES + " bytes of certificates");
    }
    try {
      Collection<? extends Certificate> certificates =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes));
      if (certificates.isEmpty()) {
        throw new IOException(pem + ": expected certificates (PEM), found none");
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (Certificate certificate : certificates) {
        store.setCertificateEntry("ca-" + store.size(), certificate);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("Reading the certificates of " + pem, e);
    }
  }
}
