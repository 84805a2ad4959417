package dev.pvcpopulators.iscsitarget.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs another program to its end. Fails the test if it is not installed.
final class Tool {
  /// The result of a program.
  ///
  /// @param status the exit status; -1 if it did not end in time and was killed
  /// @param output standard output and standard error
  record Ran(List<String> command, int status, String output) {
    /// Fails the test if the program failed.
    Ran ok() {
      if (status != 0) {
        throw new AssertionError(this + " failed");
      }
      return this;
    }

    @Override
    public String toString() {
      return String.join(" ", command) + " [exit " + status + "]\n" + output;
    }
  }

  private Tool() {}

  /// Runs a program that may fail, with a time limit.
  static Ran run(Duration limit, List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("tool", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      return new Ran(command, ended ? process.exitValue() : -1, Files.readString(output));
    } finally {
      Files.delete(output);
    }
  }
}
