package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Programs that create images. If a program is missing, the test fails.
///
/// @param directory the working directory of the programs, which contains their output
public record Tools(Path directory) {
  /// Runs a program in the directory and returns its standard output without surrounding white
  /// space.
  public String run(Object... command) {
    return new String(Command.of(command).bytesIn(directory), UTF_8).strip();
  }

  /// Runs buildah with its storage in the directory.
  public String buildah(Object... arguments) {
    List<Object> words =
        new ArrayList<>(
            List.of(
                "buildah",
                "--storage-driver",
                "vfs",
                "--root",
                directory.resolve("storage"),
                "--runroot",
                directory.resolve("run")));
    words.addAll(List.of(arguments));
    return run(words.toArray());
  }

  /// Builds an image with one file in each layer. The content of a file is its name, repeated.
  ///
  /// @param layers the names of the files, from the bottom layer up
  public void image(String tag, String platform, String... layers) throws IOException {
    String base = "scratch";
    for (String layer : layers) {
      Path file = Files.createTempFile(directory, "file", "");
      Files.writeString(file, layer.repeat(10_000));
      String container = buildah("from", "--platform", platform, base);
      buildah("add", container, file, layer);
      buildah("config", "--label", "made-by=buildah", "--env", "LAYER=" + layer, container);
      buildah("commit", "--quiet", container, tag);
      buildah("rm", container);
      base = tag;
    }
  }
}
