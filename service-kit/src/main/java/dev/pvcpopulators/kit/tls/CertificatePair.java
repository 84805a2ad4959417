package dev.pvcpopulators.kit.tls;

import io.vertx.core.Vertx;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

/// Checks a certificate and its key, which are PEM files.
final class CertificatePair {
  private static final byte[] PROBE = "pvc-populators".getBytes(StandardCharsets.US_ASCII);

  private CertificatePair() {}

  /// Reads both files as the server does, signs a text with the key, and verifies the signature
  /// with the certificate.
  ///
  /// @throws GeneralSecurityException if the key does not match the certificate, or one of the
  ///   files is malformed
  /// @throws RuntimeException if one of the files cannot be read, or is not PEM
  static void check(Vertx vertx, Path certificate, Path key) throws GeneralSecurityException {
    PemKeyCertOptions options =
        new PemKeyCertOptions().setCertPath(certificate.toString()).setKeyPath(key.toString());
    for (KeyManager manager : managers(vertx, options)) {
      if (manager instanceof X509KeyManager pair) {
        check(pair);
      }
    }
  }

  private static KeyManager[] managers(Vertx vertx, PemKeyCertOptions options)
      throws GeneralSecurityException {
    try {
      return options.getKeyManagerFactory(vertx).getKeyManagers();
    } catch (GeneralSecurityException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new GeneralSecurityException(e.getMessage(), e);
    }
  }

  private static void check(X509KeyManager pair) throws GeneralSecurityException {
    for (String type : new String[] {"RSA", "EC", "EdDSA", "Ed25519", "Ed448"}) {
      String[] aliases = pair.getServerAliases(type, null);
      for (String alias : aliases == null ? new String[0] : aliases) {
        check(pair.getPrivateKey(alias), pair.getCertificateChain(alias)[0].getPublicKey());
      }
    }
  }

  private static void check(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
    Optional<String> algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> Optional.of("SHA256withRSA");
          case "EC" -> Optional.of("SHA256withECDSA");
          case "EdDSA", "Ed25519", "Ed448" -> Optional.of("EdDSA");
          // Only RSA, EC and EdDSA keys are checked here; the TLS handshake checks all other keys.
          default -> Optional.empty();
        };
    if (algorithm.isEmpty()) {
      return;
    }
    if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
      throw mismatch();
    }
    Signature signing = Signature.getInstance(algorithm.get());
    signing.initSign(key);
    signing.update(PROBE);
    byte[] signature = signing.sign();
    Signature verifying = Signature.getInstance(algorithm.get());
    verifying.initVerify(certified);
    verifying.update(PROBE);
    if (!verifying.verify(signature)) {
      throw mismatch();
    }
  }

  private static GeneralSecurityException mismatch() {
    return new GeneralSecurityException("the certificate does not match its key");
  }
}
