package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;

/// Programs on this machine that make fixtures. A missing one fails the test.
final class Program {
  private Program() {}

  /// Runs one to its end and gives what it said, on either of its outputs.
  ///
  /// @throws AssertionError with that when it fails
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
