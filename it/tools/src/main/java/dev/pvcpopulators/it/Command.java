package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs another program and waits for its end. The test fails if the program is not installed, or
/// runs for more than 10 minutes. Only [#within] has another time limit, and does not fail at this
/// limit. Arguments are converted to words with [Object#toString]. If a method has no parameter for
/// the input, the program's standard input is empty.
public record Command(List<String> words) {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /// The result of a program.
  ///
  /// @param status the exit status; 128 plus the signal's number if a signal ended the program; -1
  ///   if the time limit ended the program
  /// @param latin1 the standard output, one character per byte
  /// @param err the standard error
  public record Ran(List<String> command, int status, String latin1, String err) {
    /// Fails the test if the exit status is not 0.
    public Ran ok() {
      if (status != 0) {
        throw new AssertionError(this + " failed");
      }
      return this;
    }

    /// Returns the standard output, decoded as UTF-8.
    public String out() {
      return new String(bytes(), UTF_8);
    }

    public byte[] bytes() {
      return latin1.getBytes(ISO_8859_1);
    }

    /// Returns the standard output, followed by the standard error.
    public String output() {
      return out() + err;
    }

    @Override
    public String toString() {
      return String.join(" ", command) + " [exit " + status + "]\n" + output();
    }
  }

  public Command {
    words = List.copyOf(words);
  }

  public static Command of(Object... words) {
    return new Command(List.of()).with(words);
  }

  /// Returns the same program with more arguments.
  public Command with(Object... arguments) {
    List<String> all = new ArrayList<>(words);
    for (Object argument : arguments) {
      all.add(argument.toString());
    }
    return new Command(all);
  }

  /// Runs the program, and returns its standard output. The program must succeed.
  public byte[] bytes() {
    return bytes(new byte[0]);
  }

  /// Runs the program with this standard input, and returns its standard output. The program must
  /// succeed.
  public byte[] bytes(byte[] input) {
    return inTime(finish(builder(), input, LIMIT)).ok().bytes();
  }

  /// Runs the program in a directory, and returns its standard output. The program must succeed.
  public byte[] bytesIn(Path directory) {
    return ran(builder().directory(directory.toFile())).ok().bytes();
  }

  /// Runs the program, which may fail. At the time limit, kills the program and returns -1 as the
  /// status.
  public Ran within(Duration limit) {
    return finish(builder(), new byte[0], limit);
  }

  /// Runs the program, which may fail, and returns the result.
  public Ran tried() {
    return ran(builder());
  }

  /// Runs a program that must succeed, and returns its standard output.
  public static String run(Object... words) {
    return of(words).tried().ok().out();
  }

  /// Runs a bash script with the arguments `$1`, `$2` and so on. If a command of the script fails,
  /// the script ends, and the test fails.
  ///
  /// @return the standard output of the script
  public static String shell(String script, Object... arguments) {
    return of("bash", "-euc", script, "script").with(arguments).tried().ok().out();
  }

  /// Runs a program in a directory. The program must succeed.
  public static void in(Path directory, Object... words) {
    of(words).bytesIn(directory);
  }

  /// Runs a program, and writes its standard output to a file. The program must succeed.
  public static void into(Path output, Object... words) {
    ran(of(words).builder().redirectOutput(output.toFile())).ok();
  }

  /// Runs a program that may fail, and returns the result.
  public static Ran tried(List<String> words) {
    return new Command(words).tried();
  }

  /// Runs a program that may fail, with a file as its input, and returns the result.
  public static Ran from(Path input, List<String> words) {
    return ran(new Command(words).builder().redirectInput(input.toFile()));
  }

  private ProcessBuilder builder() {
    return new ProcessBuilder(words);
  }

  private static Ran ran(ProcessBuilder builder) {
    return inTime(finish(builder, new byte[0], LIMIT));
  }

  private static Ran inTime(Ran ran) {
    if (ran.status() < 0) {
      throw new AssertionError(ran + " took longer than " + LIMIT);
    }
    return ran;
  }

  /// Runs the program with files, not pipes, for its input and output. A full pipe would block the
  /// program until the test reads the output. A pipe would also block the test while a child
  /// process of the program keeps the pipe open.
  private static Ran finish(ProcessBuilder builder, byte[] input, Duration limit) {
    List<String> command = builder.command();
    try {
      Path files = Files.createTempDirectory("command");
      Path in = files.resolve("in");
      Path out = files.resolve("out");
      Path err = files.resolve("err");
      try {
        if (builder.redirectInput().equals(Redirect.PIPE)) {
          builder.redirectInput(Files.write(in, input).toFile());
        }
        if (builder.redirectOutput().equals(Redirect.PIPE)) {
          builder.redirectOutput(out.toFile());
        }
        int status = status(builder.redirectError(err.toFile()).start(), limit);
        String said = Files.exists(out) ? Files.readString(out, ISO_8859_1) : "";
        return new Ran(command, status, said, new String(Files.readAllBytes(err), UTF_8));
      } finally {
        Files.deleteIfExists(in);
        Files.deleteIfExists(out);
        Files.deleteIfExists(err);
        Files.delete(files);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot run " + command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new InterruptedIOException(String.join(" ", command)));
    }
  }

  private static int status(Process process, Duration limit) throws InterruptedException {
    try {
      if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        return process.exitValue();
      }
      process.destroyForcibly().waitFor();
      return -1;
    } finally {
      process.destroyForcibly();
    }
  }

  /// Returns the root of this checkout. The working directory may be any directory of the checkout.
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
