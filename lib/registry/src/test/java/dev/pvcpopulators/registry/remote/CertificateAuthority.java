package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// A private certificate authority that openssl creates in a directory of the test.
record CertificateAuthority(Path directory) {
  private static final String PASSWORD = "changeit";

  static CertificateAuthority in(Path directory) throws IOException {
    CertificateAuthority authority = new CertificateAuthority(directory);
    Command.run(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=Private authority",
        "-keyout",
        authority.path("ca.key"),
        "-out",
        authority.path("ca.pem"));
    return authority;
  }

  Path certificate() {
    return directory.resolve("ca.pem");
  }

  Path key() {
    return directory.resolve("ca.key");
  }

  /// Creates `NAME.pem` and `NAME.key`.
  ///
  /// @param subject the subject alternative name, such as `IP:127.0.0.1` or `DNS:registry.example`
  void sign(String name, String subject) throws IOException {
    Command.run(
        "openssl",
        "req",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=" + name,
        "-keyout",
        path(name + ".key"),
        "-out",
        path(name + ".csr"));
    Path extensions = directory.resolve(name + ".ext");
    Files.writeString(extensions, "subjectAltName=" + subject + "\n", US_ASCII);
    Command.run(
        "openssl",
        "x509",
        "-req",
        "-days",
        "2",
        "-in",
        path(name + ".csr"),
        "-CA",
        path("ca.pem"),
        "-CAkey",
        path("ca.key"),
        "-CAcreateserial",
        "-extfile",
        extensions.toString(),
        "-out",
        path(name + ".pem"));
  }

  /// Returns a factory of server sockets with the certificate `NAME.pem`.
  ServerSocketFactory sockets(String name) throws IOException {
    Command.run(
        "openssl",
        "pkcs12",
        "-export",
        "-passout",
        "pass:" + PASSWORD,
        "-in",
        path(name + ".pem"),
        "-inkey",
        path(name + ".key"),
        "-out",
        path(name + ".p12"));
    try (InputStream in = Files.newInputStream(directory.resolve(name + ".p12"))) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, PASSWORD.toCharArray());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return context.getServerSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private String path(String file) {
    return directory.resolve(file).toString();
  }
}
