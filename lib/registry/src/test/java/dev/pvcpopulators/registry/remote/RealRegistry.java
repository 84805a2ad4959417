package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.registry.SourceReference;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A docker-registry process with its data in a directory of the test.
final class RealRegistry implements Closeable {
  private static final Pattern LISTENING = Pattern.compile("listening on 127\\.0\\.0\\.1:(\\d+)");

  private final Path directory;
  private final Process process;
  private final int port;

  private RealRegistry(Path directory, Process process, int port) {
    this.directory = directory;
    this.process = process;
    this.port = port;
  }

  /// Starts a registry and returns when it listens.
  ///
  /// @param settings further fields at the top level of the configuration, in YAML
  /// @param http further fields of the section `http` in YAML, indented by two spaces
  static RealRegistry start(Path directory, String settings, String http) throws IOException {
    Path configuration = directory.resolve("registry.yml");
    Files.writeString(
        configuration,
        "version: 0.1\nlog: {level: info}\nstorage: {filesystem: {rootdirectory: \""
            + directory.resolve("data")
            + "\"}}\nhttp:\n  addr: 127.0.0.1:0\n"
            + http
            + settings);
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
        Thread.ofVirtual().start(() -> drain(output));
        return new RealRegistry(directory, process, Integer.parseInt(listening.group(1)));
      }
    }
    throw new AssertionError("docker-registry ended: " + said);
  }

  private static void drain(BufferedReader output) {
    try (output) {
      while (output.readLine() != null) {
        // Reads all output, because a full pipe blocks the process.
      }
    } catch (IOException e) {
      // The process has ended.
    }
  }

  String authority() {
    return "127.0.0.1:" + port;
  }

  SourceReference.Remote reference(String name) {
    return (SourceReference.Remote) SourceReference.parse("docker://" + authority() + "/" + name);
  }

  /// Pushes an image with one layer, which contains the bytes as `disk/disk.img`.
  void push(String name, byte[] disk, String... skopeoOptions) throws IOException {
    Path root = Files.createDirectories(directory.resolve("root/disk"));
    Files.write(root.resolve("disk.img"), disk);
    Path layer = directory.resolve("layer.tar");
    Command.run(
        "tar",
        "-C",
        directory.resolve("root").toString(),
        "-cf",
        layer.toString(),
        "disk/disk.img");
    List<String> command = new ArrayList<>(List.of("skopeo", "copy", "--quiet"));
    command.addAll(List.of(skopeoOptions));
    command.addAll(List.of("tarball:" + layer, "docker://" + authority() + "/" + name));
    Command.run(command.toArray());
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
