package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Programs on this machine that make images. A missing one fails the test.
///
/// @param directory theirs alone; what they write is there
public record Tools(Path directory) {
  /// Runs a program in the directory and gives what it wrote to its standard output.
  ///
  /// @throws AssertionError with what it said when it fails
  public String run(Object... command) {
    List<String> words = Arrays.stream(command).map(Object::toString).toList();
    try {
      Path errors = Files.createTempFile(directory, "stderr", "");
      Process process =
          new ProcessBuilder(words)
              .directory(directory.toFile())
              .redirectError(errors.toFile())
              .start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      int status = process.waitFor();
      if (status != 0) {
        throw new AssertionError(words + " ended with " + status + ": " + Files.readString(errors));
      }
      Files.delete(errors);
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot run " + words, e);
    } catch (InterruptedException e) {
      throw new AssertionError("Interrupted in " + words, e);
    }
  }

  /// Runs buildah on a storage of its own.
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

  /// Builds an image whose layers have one file each.
  ///
  /// @param layers names in the image, from the bottom up; the content is the name, many times
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
