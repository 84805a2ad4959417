package dev.pvcpopulators.images;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A docker-registry process.
///
/// @param authority the host and port of the registry
record RealRegistry(Process process, String authority) implements Closeable {
  private static final Pattern LISTENING = Pattern.compile("listening on (127\\.0\\.0\\.1:\\d+)");

  /// Starts a registry with plain HTTP and without authentication.
  static RealRegistry open(Path directory) throws IOException {
    return start(directory, "", "");
  }

  /// Starts a registry with HTTPS, a certificate of an unknown authority, and one user `somebody`
  /// with the password `secret`.
  static RealRegistry closed(Path directory) throws IOException, InterruptedException {
    Path certificate = directory.resolve("tls.crt");
    Path key = directory.resolve("tls.key");
    Command.run(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        key.toString(),
        "-out",
        certificate.toString());
    Path passwords = directory.resolve("htpasswd");
    Files.writeString(passwords, Command.run("htpasswd", "-nbB", "-C", "4", "somebody", "secret"));
    return start(
        directory,
        ", tls: {certificate: \"%s\", key: \"%s\"}".formatted(certificate, key),
        "auth: {htpasswd: {realm: test, path: \"" + passwords + "\"}}");
  }

  private static RealRegistry start(Path directory, String http, String more) throws IOException {
    Path configuration = directory.resolve("registry.yml");
    Files.writeString(
        configuration,
        """
        version: 0.1
        log: {level: info}
        storage: {filesystem: {rootdirectory: "%s"}}
        http: {addr: "127.0.0.1:0"%s}
        %s
        """
            .formatted(directory.resolve("data"), http, more));
    Process process =
        new ProcessBuilder("docker-registry", "serve", configuration.toString())
            .redirectErrorStream(true)
            .start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    StringBuilder said = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      said.append(line).append('\n');
      Matcher listening = LISTENING.matcher(line);
      if (listening.find()) {
        // Drains the output, so that the process never blocks.
        Thread.ofVirtual().start(() -> output.lines().forEach(_ -> {}));
        return new RealRegistry(process, listening.group(1));
      }
    }
    throw new AssertionError("docker-registry ended: " + said);
  }

  @Override
  public void close() {
    process.destroy();
  }
}
