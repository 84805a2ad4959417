package dev.pvcpopulators.images;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Creates the key store of the authorities that a JVM trusts (`lib/security/cacerts`). The input
/// is PEM certificates, for example those of Debian's package ca-certificates.
///
/// The format is PKCS #12 (RFC 7292) without a password, like the JDK's own store. Without a
/// password, the same certificates give the same bytes. `base.sh` runs this source file directly,
/// without a compiled class.
final class TrustStore {
  private static final int USAGE = 64;

  private TrustStore() {}

  /// Writes the store.
  ///
  /// @param arguments the path of the store, which is replaced if it exists; then the paths of the
  ///   certificates
  void main(String[] arguments) throws IOException, GeneralSecurityException {
    if (arguments.length < 2) {
      System.err.println("usage: java TrustStore.java STORE CERTIFICATE...");
      System.exit(USAGE);
    }
    write(Path.of(arguments[0]), Stream.of(arguments).skip(1).map(Path::of).toList());
  }

  /// Writes the store. The alias of a certificate is the name of the certificate's file without the
  /// suffix.
  static void write(Path store, List<Path> certificates)
      throws IOException, GeneralSecurityException {
    System.setProperty("keystore.pkcs12.certProtectionAlgorithm", "NONE");
    System.setProperty("keystore.pkcs12.macAlgorithm", "NONE");
    CertificateFactory x509 = CertificateFactory.getInstance("X.509");
    SequencedMap<String, Certificate> sorted = new TreeMap<>();
    for (Path file : certificates) {
      String alias = file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
      sorted.put(
          alias, x509.generateCertificate(new ByteArrayInputStream(Files.readAllBytes(file))));
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    for (var entry : sorted.entrySet()) {
      keys.setCertificateEntry(entry.getKey(), entry.getValue());
    }
    try (OutputStream out = Files.newOutputStream(store)) {
      keys.store(out, null);
    }
  }
}
