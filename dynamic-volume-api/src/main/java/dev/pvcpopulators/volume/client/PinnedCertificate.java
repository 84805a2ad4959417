package dev.pvcpopulators.volume.client;

import dev.pvcpopulators.volume.SafeText;
import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/// Trusts exactly one server certificate, during its validity period. The name in the certificate
/// is not compared with the server's address, because the certificate of a pod is made before the
/// pod has an address.
final class PinnedCertificate extends X509ExtendedTrustManager {
  private static final int MOST_SUBJECT = 64;

  private final X509Certificate pinned;

  /// Reads the certificate to trust.
  ///
  /// @param pem the certificate in PEM form
  /// @throws CertificateException if the text is not a certificate
  PinnedCertificate(String pem) throws CertificateException {
    pinned =
        (X509Certificate)
            CertificateFactory.getInstance("X.509")
                .generateCertificate(
                    new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
  }

  private void check(X509Certificate[] chain) throws CertificateException {
    if (chain.length == 0) {
      throw new CertificateException("Expected the certificate of this service, found none");
    }
    if (!pinned.equals(chain[0])) {
      throw new CertificateException(
          "Expected the certificate of this service, %s, found %s"
              .formatted(name(pinned), name(chain[0])));
    }
    pinned.checkValidity();
  }

  /// Returns the subject and the SHA-256 fingerprint, for messages.
  private static String name(X509Certificate certificate) throws CertificateEncodingException {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return "%s with SHA-256 %s"
          .formatted(
              SafeText.of(certificate.getSubjectX500Principal().getName(), MOST_SUBJECT),
              HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw new CertificateException("Client certificates are not supported");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkClientTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
