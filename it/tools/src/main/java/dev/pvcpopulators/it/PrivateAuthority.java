package dev.pvcpopulators.it;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A private certificate authority that issues certificates with openssl.
///
/// @param directory the directory of all keys and certificates
/// @param certificate the authority's own certificate in PEM
public record PrivateAuthority(Path directory, Path certificate) {
  /// The paths of a server's certificate and of its key, both in PEM.
  public record Issued(Path certificate, Path key) {}

  public static PrivateAuthority in(Path parent, String name) throws IOException {
    Path directory = Files.createDirectory(parent.resolve(name));
    Path certificate = directory.resolve("ca.crt");
    selfSigned(name, "basicConstraints=critical,CA:TRUE", directory.resolve("ca.key"), certificate);
    return new PrivateAuthority(directory, certificate);
  }

  /// Makes a key, and a self-signed certificate that is valid for a week.
  public static void selfSigned(String name, String extension, Path key, Path certificate)
      throws IOException {
    Command.run(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "7",
        "-subj",
        "/CN=" + name,
        "-addext",
        extension,
        "-keyout",
        key.toString(),
        "-out",
        certificate.toString());
  }

  /// Issues a certificate that is valid for a day.
  ///
  /// @param file the common name, and the name of the files without their suffixes
  /// @param names the value of `subjectAltName`, such as `DNS:localhost,IP:127.0.0.1`
  public Issued issue(String file, String names) throws IOException {
    Path key = directory.resolve(file + ".key");
    Path request = directory.resolve(file + ".csr");
    Path certificate = directory.resolve(file + ".crt");
    Path extensions = directory.resolve(file + ".ext");
    Files.writeString(extensions, "subjectAltName=" + names + "\n");
    Command.run(
        "openssl",
        "req",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=" + file,
        "-keyout",
        key.toString(),
        "-out",
        request.toString());
    Command.run(
        "openssl",
        "x509",
        "-req",
        "-days",
        "1",
        "-CAcreateserial",
        "-in",
        request.toString(),
        "-CA",
        this.certificate.toString(),
        "-CAkey",
        directory.resolve("ca.key").toString(),
        "-extfile",
        extensions.toString(),
        "-out",
        certificate.toString());
    return new Issued(certificate, key);
  }

  /// Returns a TLS context for a client that trusts only this authority.
  public SSLContext trusting() throws IOException {
    try (InputStream in = Files.newInputStream(certificate)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      trusted.setCertificateEntry(
          "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return tls;
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
