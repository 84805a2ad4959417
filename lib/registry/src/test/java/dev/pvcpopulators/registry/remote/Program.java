package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;

/// Programs on this machine that create fixtures. If one is missing, the test fails.
final class Program {
  private Program() {}

  /// Runs a program to its end and returns its output, standard output and error together.
  ///
  /// @throws AssertionError with that if it fails
  static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      int status = process.waitFor();
      if (status != 0) {
        throw new AssertionError(List.of(command) + " ended with " + status + ": " + said);
      }
      return said;
    } catch (InterruptedException e) {
      process.destroyForcibly();
      throw new AssertionError("Interrupted while running " + List.of(command), e);
    }
  }
}
