package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Programs on this machine that create images. If one is missing, the test fails.
///
/// @param directory used only by them; contains their output
public record Tools(Path directory) {
  /// Runs a program in the directory and returns its standard output.
  ///
  /// @throws AssertionError with its output if it fails
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

  /// Runs buildah with separate storage.
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

  /// Builds an image with one file in each layer.
  ///
  /// @param layers names in the image, from the bottom up; the content is the name, repeated
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
