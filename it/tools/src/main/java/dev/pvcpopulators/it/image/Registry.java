package dev.pvcpopulators.it.image;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.PrivateAuthority;
import dev.pvcpopulators.it.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/// A registry: one process of docker-registry, on a free port of the loopback address. Several
/// registries may share one storage directory. [#close] kills the process.
public final class Registry implements AutoCloseable {
  private final Path storage;
  private final RegistryDoor door;
  private final int port;
  private final Path log;
  private final ServerProcess process;
  private int forgotten;

  private Registry(Path storage, RegistryDoor door, int port, Path log, ServerProcess process) {
    this.storage = storage;
    this.door = door;
    this.port = port;
    this.log = log;
    this.process = process;
  }

  /// Starts a registry with plain HTTP and without access control.
  public static Registry open(Path storage) throws IOException, InterruptedException {
    return start(storage, RegistryDoor.open());
  }

  /// Starts a registry.
  ///
  /// @param storage the directory of the registry, created if missing
  public static Registry start(Path storage, RegistryDoor door)
      throws IOException, InterruptedException {
    Files.createDirectories(storage);
    int port = FreePort.any();
    Path config = storage.resolve("config-" + port + ".yml");
    Path log = storage.resolve("log-" + port);
    // docker-registry reads its configuration as YAML. Every JSON document is a YAML document.
    Files.writeString(config, config(storage, door, port).toString());
    ServerProcess process =
        ServerProcess.start(log, List.of("docker-registry", "serve", config.toString()));
    process.awaitListening(port);
    return new Registry(storage, door, port, log, process);
  }

  private static ObjectNode config(Path storage, RegistryDoor door, int port) {
    ObjectNode config = JsonNodeFactory.instance.objectNode().put("version", "0.1");
    config.putObject("log").put("level", "warn");
    config
        .putObject("storage")
        .putObject("filesystem")
        .put("rootdirectory", storage.resolve("data").toString());
    ObjectNode http = config.putObject("http");
    http.put("addr", "127.0.0.1:" + port).put("secret", UUID.randomUUID().toString());
    PrivateAuthority.Issued certificate = door.certificate();
    if (certificate != null) {
      http.putObject("tls")
          .put("certificate", certificate.certificate().toString())
          .put("key", certificate.key().toString());
    }
    if (!door.auth().isEmpty()) {
      config.set("auth", door.auth());
    }
    return config;
  }

  public int port() {
    return port;
  }

  /// Returns `127.0.0.1:PORT`.
  public String address() {
    return "127.0.0.1:" + port;
  }

  /// Returns `docker://127.0.0.1:PORT/REPOSITORY:TAG`.
  public String image(String repositoryAndTag) {
    return "docker://" + address() + "/" + repositoryAndTag;
  }

  /// Pushes an image of a layout unchanged, with skopeo.
  public void push(ImageLayout layout, String name, String repositoryAndTag) throws IOException {
    Skopeo.push(layout, name, image(repositoryAndTag));
  }

  /// Pushes every blob of a layout, and the given manifests, with the registry's HTTP API (OCI
  /// distribution-spec 1.1, "Push"). A manifest may have a media type that skopeo does not know.
  /// The last manifest gets the tag; the other manifests have only digests. The registry must use
  /// plain HTTP without access control.
  public void take(ImageLayout layout, String repository, String tag, List<Content> manifests)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (Path blob : layout.blobs()) {
        URI upload =
            send(
                client,
                request("/v2/" + repository + "/blobs/uploads/").POST(BodyPublishers.noBody()),
                202);
        String query =
            (upload.getQuery() == null ? "?" : "&") + "digest=" + ImageLayout.digest(blob);
        send(
            client,
            HttpRequest.newBuilder(URI.create(upload + query)).PUT(BodyPublishers.ofFile(blob)),
            201);
      }
      for (Content manifest : manifests) {
        String name = manifest.equals(manifests.getLast()) ? tag : manifest.digest();
        send(
            client,
            request("/v2/" + repository + "/manifests/" + name)
                .header("Content-Type", manifest.mediaType())
                .PUT(BodyPublishers.ofFile(layout.path(manifest))),
            201);
      }
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address() + path));
  }

  private static URI send(HttpClient client, HttpRequest.Builder request, int expected)
      throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() != expected) {
      throw new AssertionError(response + "\n" + response.body());
    }
    return response.uri().resolve(response.headers().firstValue("Location").orElseThrow());
  }

  /// Returns the path of the file with a blob's content.
  public Path data(Content blob) {
    String hex = blob.hex();
    return storage.resolve(
        "data/docker/registry/v2/blobs/sha256/" + hex.substring(0, 2) + "/" + hex + "/data");
  }

  /// Makes [#accesses], [#sent] and [#gets] ignore all requests before this call.
  public void forget() throws IOException, InterruptedException {
    forgotten = settled().size();
  }

  /// Returns the requests that the registry has answered since the last [#forget]. The requests are
  /// in the order in which their answers ended.
  public List<Access> accesses() throws IOException, InterruptedException {
    List<Access> all = settled();
    return all.subList(forgotten, all.size());
  }

  /// Returns how many bytes of a blob the registry has sent since the last [#forget].
  public long sent(Content blob) throws IOException, InterruptedException {
    return accesses().stream().filter(access -> access.gets(blob)).mapToLong(Access::bytes).sum();
  }

  /// Returns the number of successful GET requests for a blob or a part of the blob since the last
  /// [#forget].
  public long gets(Content blob) throws IOException, InterruptedException {
    return accesses().stream().filter(access -> access.gets(blob)).count();
  }

  /// Returns all requests in the log, without the requests that this method sends. The registry
  /// logs a request after the answer. Therefore this method sends one more request, and waits until
  /// the log contains this request. The log then contains all earlier requests, too.
  private List<Access> settled() throws IOException, InterruptedException {
    String mark = UUID.randomUUID().toString();
    String scheme = door.certificate() == null ? "http" : "https";
    Command.run("curl", "-sk", "-o", "/dev/null", scheme + "://" + address() + "/v2/?" + mark);
    process.awaitReady(() -> Files.readString(log).contains(mark));
    return Files.readAllLines(log).stream()
        .flatMap(line -> Access.of(line).stream())
        .filter(access -> !access.path().startsWith("/v2/?"))
        .toList();
  }

  @Override
  public void close() {
    process.close();
  }
}
