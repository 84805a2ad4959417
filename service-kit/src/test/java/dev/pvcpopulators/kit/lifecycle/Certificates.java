package dev.pvcpopulators.kit.lifecycle;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/// Certificates made by `openssl`.
public final class Certificates {
  /// Trusts everybody: a test looks at what is served, not at who signed it.
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

  private Certificates() {}

  /// Puts `tls.crt` and `tls.key`, self-signed, into a directory, replacing what is there.
  public static void make(Path directory, String name) throws IOException {
    Path made = Files.createTempDirectory(directory, "new");
    run(
        List.of(
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=" + name,
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout",
            made + "/tls.key",
            "-out",
            made + "/tls.crt"));
    for (String file : List.of("tls.key", "tls.crt")) {
      Files.move(made.resolve(file), directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    Files.delete(made);
  }

  /// Runs a tool; its output is in the message where it fails.
  public static void run(List<String> command) throws IOException {
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
