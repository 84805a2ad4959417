package dev.pvcpopulators.diskimage;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// A program on this machine that creates or checks fixtures. If it is missing, the test fails.
public record CommandLineTool(List<String> command) {
  public CommandLineTool {
    command = List.copyOf(command);
  }

  public static CommandLineTool of(String... command) {
    return new CommandLineTool(List.of(command));
  }

  /// Returns the same program with more arguments.
  public CommandLineTool with(Object... arguments) {
    List<String> all = new ArrayList<>(command);
    for (Object argument : arguments) {
      all.add(argument.toString());
    }
    return new CommandLineTool(all);
  }

  /// Runs the program without input and returns its standard output.
  public byte[] run() {
    return run(new byte[0]);
  }

  /// Runs the program with the bytes as standard input and returns its standard output.
  ///
  /// @throws AssertionError with its standard error if it fails
  public byte[] run(byte[] input) {
    return run(input, null);
  }

  /// Runs the program in a directory.
  public byte[] runIn(Path directory) {
    return run(new byte[0], directory);
  }

  private byte[] run(byte[] input, @org.jspecify.annotations.Nullable Path directory) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      if (directory != null) {
        builder.directory(directory.toFile());
      }
      Process process = builder.start();
      FutureTask<byte[]> errors = inBackground(process.getErrorStream());
      FutureTask<byte[]> output = inBackground(process.getInputStream());
      try (OutputStream stdin = process.getOutputStream()) {
        stdin.write(input);
      }
      int status = process.waitFor();
      if (status != 0) {
        throw new AssertionError(
            command
                + " ended with "
                + status
                + ": "
                + new String(errors.get(), StandardCharsets.UTF_8));
      }
      return output.get();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot run " + command, e);
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError("Cannot run " + command, e);
    }
  }

  private static FutureTask<byte[]> inBackground(InputStream stream) {
    FutureTask<byte[]> task =
        new FutureTask<>(() -> {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          stream.transferTo(bytes);
          return bytes.toByteArray();
        });
    Thread.ofVirtual().start(task);
    return task;
  }
}
