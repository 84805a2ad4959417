package dev.pvcpopulators.volume.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// A self-signed certificate that the JDK's `keytool` made.
///
/// @param pem the PEM file of the certificate, for a client that trusts this certificate
/// @param server the TLS context of a server with this certificate
record ServiceKeys(Path pem, SSLContext server) {
  private static final char[] PASSWORD = "changeit".toCharArray();

  /// Makes a certificate.
  ///
  /// @param names subject alternative names in the form of `keytool`, such as `ip:127.0.0.1`
  static ServiceKeys of(Path directory, String file, String names)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = directory.resolve(file + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                // The two `-J` flags halve the CPU time of keytool.
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                file,
                "-dname",
                "CN=" + file,
                "-ext",
                "san=" + names,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool: " + output);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD);
    SSLContext server = SSLContext.getInstance("TLS");
    server.init(managers.getKeyManagers(), null, null);
    String encoded = Base64.getMimeEncoder().encodeToString(keys.getCertificate(file).getEncoded());
    Path pem =
        Files.writeString(
            directory.resolve(file + ".pem"),
            "-----BEGIN CERTIFICATE-----\n" + encoded + "\n-----END CERTIFICATE-----\n");
    return new ServiceKeys(pem, server);
  }
}
