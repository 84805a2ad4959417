package dev.pvcpopulators.diskimage.qcow2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs the real `qemu-img` and `qemu-io`, which create the fixtures and are the oracle.
final class Qemu {
  /// The result of a run.
  ///
  /// @param output standard output and error together
  record Result(List<String> command, int exit, String output) {
    Result orFail() {
      if (exit != 0) {
        throw new AssertionError(this);
      }
      return this;
    }
  }

  private static final int TIMEOUT_SECONDS = 600;

  private Qemu() {}

  static Result img(Object... arguments) throws IOException, InterruptedException {
    return run("qemu-img", arguments);
  }

  /// Runs qemu-io commands on an image, in one process.
  static Result io(Path image, List<String> commands) throws IOException, InterruptedException {
    List<Object> arguments = new ArrayList<>(List.of("-f", "qcow2", "-d", "unmap", "-t", "unsafe"));
    for (String command : commands) {
      arguments.add("-c");
      arguments.add(command);
    }
    arguments.add(image);
    Result result = run("qemu-io", arguments.toArray());
    // qemu-io continues after a command that failed.
    if (result.output().contains("failed") || result.output().contains("rror")) {
      throw new AssertionError(result);
    }
    return result;
  }

  static void requireEqual(Path expected, String format, Path raw)
      throws IOException, InterruptedException {
    img("compare", "-f", format, "-F", "raw", expected, raw).orFail();
  }

  private static Result run(String tool, Object... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(tool));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    Path output = Files.createTempFile("qemu", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(command + " did not end within " + TIMEOUT_SECONDS + " s");
      }
      return new Result(
          command,
          process.exitValue(),
          new String(Files.readAllBytes(output), StandardCharsets.ISO_8859_1));
    } finally {
      Files.delete(output);
    }
  }
}
