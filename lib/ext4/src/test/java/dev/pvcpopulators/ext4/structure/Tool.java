package dev.pvcpopulators.ext4.structure;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/// Runs another program; if it fails, the test fails.
public final class Tool {
  private Tool() {}

  /// Runs a program to its end.
  ///
  /// @return its standard output and standard error
  public static String run(String... command) {
    return run(List.of(command));
  }

  private static String run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new AssertionError(String.join(" ", command) + ": " + code + "\n" + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(command.getFirst(), e);
    }
  }

  /// Runs a script, which ends at the first command that fails.
  public static String shell(String script, String... arguments) {
    List<String> command = new java.util.ArrayList<>(List.of("bash", "-euc", script, "script"));
    command.addAll(List.of(arguments));
    return run(command);
  }
}
