package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Runs another program to its end. A program that is not installed fails the test.
public final class Command {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /// The result of a program.
  ///
  /// @param status its exit status; 128 plus the signal's number if a signal ended it
  public record Ran(List<String> command, int status, String out, String err) {
    /// Fails the test if the program failed.
    public Ran ok() {
      if (status != 0) {
        throw new AssertionError(this + " failed");
      }
      return this;
    }

    @Override
    public String toString() {
      return String.join(" ", command) + " [exit " + status + "]\n" + out + err;
    }
  }

  private Command() {}

  /// Runs a program that must succeed, and returns its output.
  public static String run(String... command) throws IOException {
    return tried(List.of(command)).ok().out();
  }

  /// Runs a program in a directory; it must succeed.
  public static void in(Path directory, String... command) throws IOException {
    finish(new ProcessBuilder(command).directory(directory.toFile()), List.of(command)).ok();
  }

  /// Runs a program with its output in a file; it must succeed.
  public static void into(Path output, String... command) throws IOException {
    finish(new ProcessBuilder(command).redirectOutput(output.toFile()), List.of(command)).ok();
  }

  /// Runs a program that may fail.
  public static Ran tried(List<String> command) throws IOException {
    return finish(new ProcessBuilder(command), command);
  }

  /// Runs a program that may fail, with a file as its input.
  public static Ran from(Path input, List<String> command) throws IOException {
    return finish(new ProcessBuilder(command).redirectInput(input.toFile()), command);
  }

  private static Ran finish(ProcessBuilder builder, List<String> command) throws IOException {
    Process process = builder.start();
    CompletableFuture<String> out = collect(process.getInputStream());
    CompletableFuture<String> err = collect(process.getErrorStream());
    try {
      if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(String.join(" ", command) + " took longer than " + LIMIT);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(String.join(" ", command));
    }
    return new Ran(command, process.exitValue(), out.join(), err.join());
  }

  private static CompletableFuture<String> collect(InputStream stream) {
    CompletableFuture<String> text = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try (stream) {
        text.complete(new String(stream.readAllBytes(), UTF_8));
      } catch (IOException e) {
        text.completeExceptionally(new UncheckedIOException(e));
      }
    });
    return text;
  }

  /// Returns the root of this checkout, independent of the working directory.
  public static Path root() {
    Path start = Path.of("").toAbsolutePath();
    for (Path here = start; here != null; here = here.getParent()) {
      if (Files.isExecutable(here.resolve("mvnw"))) {
        return here;
      }
    }
    throw new AssertionError("No mvnw in " + start + " or above");
  }
}
