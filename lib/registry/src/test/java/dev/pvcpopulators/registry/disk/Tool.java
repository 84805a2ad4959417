package dev.pvcpopulators.registry.disk;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A program on this machine that creates or checks fixtures. If it is missing, the test fails.
record Tool(List<String> command) {
  Tool {
    command = List.copyOf(command);
  }

  static Tool of(Object... command) {
    return new Tool(List.of()).with(command);
  }

  Tool with(Object... arguments) {
    List<String> all = new ArrayList<>(command);
    for (Object argument : arguments) {
      all.add(argument.toString());
    }
    return new Tool(all);
  }

  /// Runs the program and returns its standard output.
  ///
  /// @throws AssertionError with its standard error if it fails
  byte[] run() {
    return run(new byte[0]);
  }

  /// Runs the program with standard input.
  byte[] run(byte[] input) {
    return run(input, Path.of("").toAbsolutePath());
  }

  /// Runs the program in a directory.
  byte[] runIn(Path directory) {
    return run(new byte[0], directory);
  }

  /// Runs the program with files instead of pipes, so that neither side can block.
  private byte[] run(byte[] input, Path workingDirectory) {
    try {
      Path directory = Files.createTempDirectory("tool");
      Path in = Files.write(directory.resolve("in"), input);
      Path out = directory.resolve("out");
      Path err = directory.resolve("err");
      try {
        int status =
            new ProcessBuilder(command)
                .directory(workingDirectory.toFile())
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start()
                .waitFor();
        if (status != 0) {
          throw new AssertionError(
              command + " ended with " + status + ": " + Files.readString(err, UTF_8));
        }
        return Files.readAllBytes(out);
      } finally {
        Files.deleteIfExists(in);
        Files.deleteIfExists(out);
        Files.deleteIfExists(err);
        Files.delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot run " + command, e);
    } catch (InterruptedException e) {
      throw new AssertionError("Cannot run " + command, e);
    }
  }
}
