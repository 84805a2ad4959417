package dev.pvcpopulators.it;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// An nginx process that serves the files of a directory on a free port of the loopback address.
/// [#close] kills the process.
public final class Nginx implements Closeable {
  private final ServerProcess process;
  private final Path directory;
  private final int port;

  private Nginx(ServerProcess process, Path directory, int port) {
    this.process = process;
    this.directory = directory;
    this.port = port;
  }

  /// Starts nginx with plain HTTP.
  ///
  /// @param directory the directory for nginx's own files; the served files are in its subdirectory
  ///   `files`
  /// @param directives additional directives for the `server` block
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
            error_log stderr;
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
    ServerProcess process =
        ServerProcess.start(
            temporary.resolve("output"),
            List.of("nginx", "-p", directory + "/", "-c", config.toString(), "-e", "stderr"));
    process.awaitListening(port);
    return new Nginx(process, directory, port);
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

  /// Returns a line for each answered request, with the status, path, range and credentials.
  public List<String> requests() throws IOException {
    return Files.readAllLines(directory.resolve("access.log"));
  }

  @Override
  public void close() {
    process.close();
  }
}
