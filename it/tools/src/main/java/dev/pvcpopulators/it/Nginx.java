package dev.pvcpopulators.it;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// An nginx that serves the files of a directory, on a free port of the loopback address. Closing
/// it kills the process.
public final class Nginx implements Closeable {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final long POLL_MILLIS = 5;

  private final Process process;
  private final Path directory;
  private final int port;

  private Nginx(Process process, Path directory, int port) {
    this.process = process;
    this.directory = directory;
    this.port = port;
  }

  /// Starts nginx with plain HTTP.
  ///
  /// @param directory the directory for its files, in `files`, and its output
  /// @param directives directives of its `server`, besides address and root
  public static Nginx open(Path directory, String directives)
      throws IOException, InterruptedException {
    int port = FreePort.any();
    return start(directory, port, "listen 127.0.0.1:" + port + "; " + directives);
  }

  /// Starts nginx with HTTPS.
  public static Nginx secure(Path directory, PrivateAuthority.Issued issued, String directives)
      throws IOException, InterruptedException {
    int port = FreePort.any();
    return start(
        directory,
        port,
        "listen 127.0.0.1:%d ssl; ssl_certificate %s; ssl_certificate_key %s; %s"
            .formatted(port, issued.certificate(), issued.key(), directives));
  }

  private static Nginx start(Path directory, int port, String server)
      throws IOException, InterruptedException {
    Files.createDirectories(directory.resolve("files"));
    Path temporary = Files.createDirectories(directory.resolve("temporary"));
    Path config =
        Files.writeString(
            directory.resolve("nginx.conf"),
            """
            daemon off;
            master_process off;
            pid pid;
            error_log error.log;
            events {}
            http {
              log_format seen '$status $request_uri "$http_range" "$http_authorization"';
              access_log access.log seen;
              default_type application/octet-stream;
              client_body_temp_path temporary/body;
              proxy_temp_path temporary/proxy;
              fastcgi_temp_path temporary/fastcgi;
              uwsgi_temp_path temporary/uwsgi;
              scgi_temp_path temporary/scgi;
              server {
                root files;
                %s
              }
            }
            """
                .formatted(server));
    Process process =
        new ProcessBuilder(
                "nginx",
                "-p",
                directory.toString() + "/",
                "-c",
                config.toString(),
                "-e",
                directory.resolve("error.log").toString())
            .redirectErrorStream(true)
            .redirectOutput(temporary.resolve("output").toFile())
            .start();
    Nginx nginx = new Nginx(process, directory, port);
    nginx.awaitListening();
    return nginx;
  }

  private void awaitListening() throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < end) {
      try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException _) {
        if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          break;
        }
      }
    }
    close();
    throw new AssertionError(
        "nginx does not listen\n"
            + Files.readString(directory.resolve("temporary/output"))
            + Files.readString(directory.resolve("error.log")));
  }

  public int port() {
    return port;
  }

  /// Returns `127.0.0.1:PORT`.
  public String address() {
    return "127.0.0.1:" + port;
  }

  /// Returns the path of a served file.
  public Path file(String name) {
    return directory.resolve("files").resolve(name);
  }

  /// Returns the answered requests: status, path, range and credentials.
  public List<String> requests() throws IOException {
    return Files.readAllLines(directory.resolve("access.log"));
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
