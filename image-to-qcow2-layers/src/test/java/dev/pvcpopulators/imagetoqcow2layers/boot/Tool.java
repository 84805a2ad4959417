package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs another program to its end. A program that is not installed fails the test.
final class Tool {
  private static final long LIMIT_SECONDS = 600;

  /// The result of a program.
  ///
  /// @param output standard output and standard error
  record Ran(List<String> command, int status, String output) {
    Ran ok() {
      if (status != 0) {
        throw new AssertionError(this);
      }
      return this;
    }

    @Override
    public String toString() {
      return String.join(" ", command) + " [exit " + status + "]\n" + output;
    }
  }

  private Tool() {}

  /// Runs a program that must succeed.
  static String run(String... command) throws IOException, InterruptedException {
    return tried(command).ok().output();
  }

  /// Runs a program that may fail.
  static Ran tried(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("tool", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(String.join(" ", command) + " does not end");
      }
      return new Ran(
          List.of(command), process.exitValue(), new String(Files.readAllBytes(output), UTF_8));
    } finally {
      Files.delete(output);
    }
  }
}
