package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// An interactive session of qemu-io that is logged in to a LUN. [#close] logs out.
public final class IscsiSession implements AutoCloseable {
  /// The time limit of each command. Without a limit, qemu-io waits forever for a missing target.
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final String PROMPT = "qemu-io> ";
  private static final String FAILED = "failed";

  private final Process process;
  private final Path errors;

  private IscsiSession(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
  }

  /// Logs in.
  public static IscsiSession of(IscsiLun lun) throws IOException {
    return of(List.of("qemu-io"), lun.objects(), lun.options());
  }

  /// Logs in read-only.
  public static IscsiSession reading(IscsiLun lun) throws IOException {
    return of(List.of("qemu-io", "-r"), lun.objects(), lun.options());
  }

  /// Logs in with a value of QEMU's `--image-opts`.
  ///
  /// @param readOnly whether the session only reads
  public static IscsiSession of(String options, boolean readOnly) throws IOException {
    return of(readOnly ? List.of("qemu-io", "-r") : List.of("qemu-io"), List.of(), options);
  }

  private static IscsiSession of(List<String> command, List<String> objects, String options)
      throws IOException {
    List<String> line = new ArrayList<>(command);
    line.addAll(objects);
    line.addAll(List.of("--image-opts", options));
    Path errors = Files.createTempFile("qemu-io", ".err");
    Process process = new ProcessBuilder(line).redirectError(errors.toFile()).start();
    IscsiSession session = new IscsiSession(process, errors);
    session.untilPrompt();
    return session;
  }

  /// Runs a command that must succeed.
  public void run(String command) throws IOException {
    String output = tries(command);
    if (output.contains(FAILED)) {
      throw new AssertionError(command + ": " + output + Files.readString(errors));
    }
  }

  /// Runs a command that must fail.
  public void refuses(String command) throws IOException {
    String output = tries(command);
    if (!output.contains(FAILED)) {
      throw new AssertionError(command + ": " + output + Files.readString(errors));
    }
  }

  /// Runs a command, and returns its output.
  public String tries(String command) throws IOException {
    process.getOutputStream().write((command + "\n").getBytes(UTF_8));
    process.getOutputStream().flush();
    return untilPrompt();
  }

  private String untilPrompt() throws IOException {
    CompletableFuture<Void> limit = limit();
    try {
      return readUntilPrompt();
    } finally {
      limit.cancel(false);
    }
  }

  private CompletableFuture<Void> limit() {
    return CompletableFuture.runAsync(
        this::kill, CompletableFuture.delayedExecutor(LIMIT.toSeconds(), TimeUnit.SECONDS));
  }

  private String readUntilPrompt() throws IOException {
    StringBuilder text = new StringBuilder();
    InputStream in = process.getInputStream();
    while (text.indexOf(PROMPT) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new AssertionError(
            "qemu-io ended, or was killed after " + LIMIT + ": " + text + Files.readString(errors));
      }
      text.append((char) next);
    }
    return text.substring(0, text.indexOf(PROMPT));
  }

  /// Suspends qemu-io with SIGSTOP. The session stays logged in, and does not answer the target.
  /// The caller must then call [#kill], because a suspended qemu-io cannot log out.
  public void freeze() throws IOException {
    Command.run("kill", "-STOP", process.pid());
  }

  /// Kills qemu-io without a logout.
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() throws IOException {
    CompletableFuture<Void> limit = limit();
    if (process.isAlive()) {
      process.getOutputStream().write("quit\n".getBytes(UTF_8));
      process.getOutputStream().flush();
    }
    process.onExit().join();
    Files.deleteIfExists(errors);
    if (!limit.cancel(false)) {
      throw new AssertionError("qemu-io did not end in " + LIMIT);
    }
  }
}
