package dev.pvcpopulators.images;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;

/// Runs another program to its end. If the program is missing or fails, the test fails.
final class Command {
  private Command() {}

  /// Runs a program, and returns its standard output and standard error as one text.
  static String run(String... words) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(words).redirectErrorStream(true).redirectInput(discarded()).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    int status = process.waitFor();
    if (status != 0) {
      throw new AssertionError(String.join(" ", List.of(words)) + " [" + status + "]\n" + said);
    }
    return said;
  }

  private static ProcessBuilder.Redirect discarded() {
    return ProcessBuilder.Redirect.from(new java.io.File("/dev/null"));
  }
}
