package dev.pvcpopulators.kit.lifecycle;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/// Certificates made by the JDK's `keytool`.
public final class Certificates {
  /// Trusts every certificate, because tests compare only the served certificate.
  public static final X509ExtendedTrustManager TRUSTING =
      new X509ExtendedTrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
          return new X509Certificate[0];
        }
      };

  /// The password of the key store.
  public static final String PASSWORD = "changeit";

  private static final String ALIAS = "service";

  private Certificates() {}

  /// Writes a self-signed `tls.crt` and its `tls.key` (PKCS #8) to a directory, and replaces
  /// existing files.
  ///
  /// @return a key store with the certificate and the key, protected by [#PASSWORD]
  public static KeyStore make(Path directory, String name) throws IOException {
    return make(directory, name, "EC");
  }

  /// Writes a self-signed `tls.crt` and its `tls.key` (PKCS #8) to a directory, and replaces
  /// existing files.
  ///
  /// @param algorithm the algorithm of the key: `EC` or `RSA`
  public static KeyStore make(Path directory, String name, String algorithm) throws IOException {
    Path made = Files.createTempDirectory(directory, "new");
    Path store = made.resolve("keys.p12");
    run(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            // These flags halve the CPU time of the start of keytool.
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
            "-genkeypair",
            "-keyalg",
            algorithm,
            "-keysize",
            algorithm.equals("EC") ? "256" : "2048",
            "-alias",
            ALIAS,
            "-dname",
            "CN=" + name,
            "-ext",
            "san=dns:localhost,ip:127.0.0.1",
            "-validity",
            "2",
            "-storetype",
            "PKCS12",
            "-storepass",
            PASSWORD,
            "-keystore",
            store.toString()));
    KeyStore keys;
    try (InputStream in = Files.newInputStream(store)) {
      keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      Key key = keys.getKey(ALIAS, PASSWORD.toCharArray());
      write(made.resolve("tls.key"), "PRIVATE KEY", key.getEncoded());
      write(made.resolve("tls.crt"), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
    Files.delete(store);
    for (String file : List.of("tls.key", "tls.crt")) {
      Files.move(made.resolve(file), directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    Files.delete(made);
    return keys;
  }

  private static void write(Path file, String label, byte[] der) throws IOException {
    String encoded = Base64.getMimeEncoder().encodeToString(der);
    Files.writeString(
        file, "-----BEGIN " + label + "-----\n" + encoded + "\n-----END " + label + "-----\n");
  }

  /// Runs a tool. If the tool fails, the exception contains the tool's output.
  private static void run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(command + ": " + output);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
