package dev.pvcpopulators.diskimage.volume;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Runs a program of the machine; a failure shows what it said.
final class Command {
  private Command() {}

  /// Fails the test unless the program ends with 0.
  ///
  /// @return what it printed, without surrounding blanks
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
