package dev.pvcpopulators.diskimage.volume;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Runs a program of this machine; a failure shows its output.
final class Command {
  private Command() {}

  /// Runs a program, and fails the test unless it exits with 0.
  ///
  /// @return its output, without surrounding white space
  static String run(String... command) throws IOException {
    Path output = Files.createTempFile("command", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      int code = process.waitFor();
      String said = new String(Files.readAllBytes(output), StandardCharsets.UTF_8).strip();
      if (code != 0) {
        fail(List.of(command) + " ended with " + code + ": " + said);
      }
      return said;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      Files.delete(output);
    }
  }
}
