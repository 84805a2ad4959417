package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A session that stays: qemu-io, told its commands one after the other. Closing it logs out.
final class IscsiSession implements AutoCloseable {
  private static final String PROMPT = "qemu-io> ";
  private static final String FAILED = "failed";

  private final Process process;
  private final Path errors;

  private IscsiSession(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
  }

  /// Logs in.
  static IscsiSession of(IscsiLun lun) throws IOException {
    return of(lun, List.of("qemu-io"));
  }

  /// Logs in, and writes nothing.
  static IscsiSession reading(IscsiLun lun) throws IOException {
    return of(lun, List.of("qemu-io", "-r"));
  }

  private static IscsiSession of(IscsiLun lun, List<String> command) throws IOException {
    List<String> line = new ArrayList<>(command);
    line.addAll(lun.objects());
    line.addAll(List.of("--image-opts", lun.options()));
    Path errors = Files.createTempFile("qemu-io", ".err");
    Process process = new ProcessBuilder(line).redirectError(errors.toFile()).start();
    IscsiSession session = new IscsiSession(process, errors);
    session.untilPrompt();
    return session;
  }

  /// Runs a command that has to succeed.
  void run(String command) throws IOException {
    String output = tries(command);
    if (output.contains(FAILED)) {
      throw new AssertionError(command + ": " + output + Files.readString(errors));
    }
  }

  /// Runs a command that has to fail.
  void refuses(String command) throws IOException {
    String output = tries(command);
    if (!output.contains(FAILED)) {
      throw new AssertionError(command + ": " + output + Files.readString(errors));
    }
  }

  /// Runs a command, and gives what it printed.
  String tries(String command) throws IOException {
    process.getOutputStream().write((command + "\n").getBytes(UTF_8));
    process.getOutputStream().flush();
    return untilPrompt();
  }

  private String untilPrompt() throws IOException {
    StringBuilder text = new StringBuilder();
    InputStream in = process.getInputStream();
    while (text.indexOf(PROMPT) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new AssertionError("qemu-io ended: " + text + Files.readString(errors));
      }
      text.append((char) next);
    }
    return text.substring(0, text.indexOf(PROMPT));
  }

  /// Ends it without a logout.
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() throws IOException {
    if (process.isAlive()) {
      process.getOutputStream().write("quit\n".getBytes(UTF_8));
      process.getOutputStream().flush();
    }
    process.onExit().join();
    Files.deleteIfExists(errors);
  }
}
