package dev.pvcpopulators.iscsitarget.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Another program, run to its end. One that is not installed fails the test.
final class Tool {
  /// What a program did.
  ///
  /// @param status what it exited with; -1 where it had to be killed because it did not end
  /// @param output standard output and standard error
  record Ran(List<String> command, int status, String output) {
    /// Fails the test where the program did.
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

  /// Runs a program that may fail, and may hang.
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
