package dev.pvcpopulators.it.container;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Json;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The unpacked image of a service. Each archive of the build is unpacked only once, with tar.
/// skopeo and umoci would need ten times as long, because they first compress the layers.
///
/// @param root the root directory of the unpacked file system; tests must not change its files
/// @param config the image's configuration (OCI image-spec 1.1, config.md, the object `config`)
public record ContainerImage(Path root, JsonNode config) {
  private static final Map<String, ContainerImage> UNPACKED = new HashMap<>();

  public ContainerImage {
    config = config.deepCopy();
  }

  @Override
  public JsonNode config() {
    return config.deepCopy();
  }

  /// Returns the image of a service.
  public static synchronized ContainerImage of(String service) throws IOException {
    ContainerImage known = UNPACKED.get(service);
    if (known != null) {
      return known;
    }
    Path archive = archive(service);
    Path directory =
        Files.createDirectories(Command.root().resolve("it/target/containers").resolve(service));
    Path mark = directory.resolve("unpacked");
    String identity =
        Files.readAttributes(archive, "unix:ino,size,lastModifiedTime,ctime").toString();
    // Test classes run in several processes, which share the directory of the unpacked image.
    try (FileChannel channel =
            FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = channel.lock()) {
      if (Files.notExists(mark) || !Files.readString(mark).equals(identity)) {
        unpack(archive, directory);
        Files.writeString(mark, identity);
      }
    }
    ContainerImage image =
        new ContainerImage(
            directory.resolve("root"), Json.file(directory.resolve("config.json")).path("config"));
    UNPACKED.put(service, image);
    return image;
  }

  /// Returns the path of the image's archive. The build makes the archive in the format of `docker
  /// save`.
  public static Path archive(String service) {
    Path archive = Command.root().resolve("kubernetes/images/target/" + service + ".tar");
    if (Files.notExists(archive)) {
      throw new AssertionError(archive + " is missing: run make images");
    }
    return archive;
  }

  private static void unpack(Path archive, Path directory) throws IOException {
    Path parts = directory.resolve("parts");
    Path root = directory.resolve("root");
    Command.run("rm", "-rf", parts.toString(), root.toString());
    Files.createDirectories(root);
    Files.createDirectories(parts);
    Command.run("tar", "-C", parts.toString(), "-xf", archive.toString());
    JsonNode manifest = Json.file(parts.resolve("manifest.json")).path(0);
    for (JsonNode layer : manifest.path("Layers")) {
      Command.run(
          "tar",
          "-C",
          root.toString(),
          "--numeric-owner",
          "-xpf",
          parts.resolve(layer.asText()).toString());
    }
    assertEquals("", Command.run("find", root.toString(), "-name", ".wh.*"), "what tar leaves");
    Files.move(
        parts.resolve(manifest.path("Config").asText()),
        directory.resolve("config.json"),
        StandardCopyOption.REPLACE_EXISTING);
    Command.run("rm", "-r", parts.toString());
  }

  /// Returns the description of the container's process (OCI runtime-spec 1.0, config.md,
  /// "Process").
  ///
  /// @param arguments the arguments after the entrypoint; if empty, the image's own arguments
  /// @param settings environment variables, which override the image's own variables
  public ObjectNode process(List<String> arguments, Map<String, String> settings) {
    ObjectNode process = JsonNodeFactory.instance.objectNode();
    String directory = config.path("WorkingDir").asText("");
    process.put("cwd", directory.isEmpty() ? "/" : directory);
    String[] user = config.path("User").asText().split(":", 2);
    assertEquals(2, user.length, () -> "expected USER:GROUP in " + config);
    process
        .putObject("user")
        .put("uid", Integer.parseInt(user[0]))
        .put("gid", Integer.parseInt(user[1]));
    ArrayNode args = process.putArray("args");
    config.path("Entrypoint").forEach(args::add);
    if (arguments.isEmpty()) {
      config.path("Cmd").forEach(args::add);
    }
    arguments.forEach(args::add);
    Map<String, String> environment = new HashMap<>();
    for (JsonNode entry : config.path("Env")) {
      String[] variable = entry.asText().split("=", 2);
      environment.put(variable[0], variable[1]);
    }
    environment.putAll(settings);
    ArrayNode env = process.putArray("env");
    environment.forEach((name, value) -> env.add(name + "=" + value));
    return process;
  }
}
