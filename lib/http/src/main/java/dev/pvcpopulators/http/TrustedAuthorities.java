package dev.pvcpopulators.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// The certificate authorities that one [DownloadClient] trusts: the authorities of the platform,
/// and those of the CA bundle if there is one.
final class TrustedAuthorities {
  private static final int BUNDLE_LENGTH = 16 << 20;

  private TrustedAuthorities() {}

  /// Creates the TLS context of a client.
  ///
  /// @param bundle the file with additional certificates in PEM; empty if there is none
  /// @throws IllegalArgumentException if the bundle cannot be read, has more than 16 MiB, contains
  ///   no certificate, or contains an invalid certificate
  static SSLContext context(Optional<Path> bundle) {
    try {
      KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
      anchors.load(null, null);
      List<Certificate> authorities = new ArrayList<>(platform());
      bundle.map(TrustedAuthorities::read).ifPresent(authorities::addAll);
      for (Certificate authority : authorities) {
        anchors.setCertificateEntry("authority-" + anchors.size(), authority);
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust(anchors).getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("This Java platform cannot set up TLS", e);
    }
  }

  private static Collection<X509Certificate> platform() throws GeneralSecurityException {
    for (TrustManager manager : trust(null).getTrustManagers()) {
      if (manager instanceof X509TrustManager it) {
        return List.of(it.getAcceptedIssuers());
      }
    }
    return List.of();
  }

  private static TrustManagerFactory trust(@Nullable KeyStore anchors)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(anchors);
    return factory;
  }

  private static Collection<? extends Certificate> read(Path bundle) {
    try (InputStream in = Files.newInputStream(bundle)) {
      byte[] bytes = in.readNBytes(BUNDLE_LENGTH + 1);
      if (bytes.length > BUNDLE_LENGTH) {
        throw new IllegalArgumentException(
            "Expected at most %d bytes in the CA bundle %s, found more"
                .formatted(BUNDLE_LENGTH, bundle));
      }
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes));
      if (found.isEmpty()) {
        throw new IllegalArgumentException(
            "Expected certificates in PEM in the CA bundle " + bundle + ", found none");
      }
      return found;
    } catch (IOException e) {
      throw new IllegalArgumentException("Cannot read the CA bundle " + bundle, e);
    } catch (CertificateException e) {
      throw new IllegalArgumentException(
          "Expected certificates in PEM in the CA bundle " + bundle, e);
    }
  }
}
