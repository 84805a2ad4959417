package dev.pvcpopulators.kubernetes.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs another program to its end. A program that is not installed fails the test.
public final class Command {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /// The result of a program.
  public record Ran(List<String> command, int status, String out, String err) {
    public Ran {
      command = List.copyOf(command);
    }

    /// Returns the output; fails the test if the program failed.
    public String ok() {
      if (status != 0) {
        throw new AssertionError(this + " failed");
      }
      return out;
    }

    @Override
    public String toString() {
      return String.join(" ", command) + " [exit " + status + "]\n" + out + err;
    }
  }

  private Command() {}

  /// Runs a program that may fail.
  public static Ran tried(List<String> command) throws IOException {
    Path out = Files.createTempFile("command", ".out");
    Path err = Files.createTempFile("command", ".err");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(
            String.join(" ", command) + " has not ended within " + LIMIT + "\n" + text(err));
      }
      return new Ran(command, process.exitValue(), text(out), text(err));
    } catch (InterruptedException e) {
      throw new IOException("Waiting for " + command.getFirst(), e);
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file, UTF_8);
  }
}
