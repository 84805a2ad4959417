package dev.pvcpopulators.it;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// One process that logs to a file. [#close] kills the process.
public final class ServerProcess implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final int TAIL_LINES = 200;

  private final Path log;
  private final Process process;

  private ServerProcess(Path log, Process process) {
    this.log = log;
    this.process = process;
  }

  /// Starts a program.
  ///
  /// @param log the file to which the output of the program is appended
  public static ServerProcess start(Path log, List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return new ServerProcess(log, process);
  }

  /// A check of the process, for example whether the server is ready. [#ask] returns true if the
  /// check succeeds.
  public interface Question {
    boolean ask() throws IOException, InterruptedException;
  }

  /// Waits until a check succeeds. If the process ends first, or the check does not succeed within
  /// ten minutes, kills the process and fails the test. The failure contains the end of the log.
  public void awaitReady(Question ready) throws IOException, InterruptedException {
    awaitReady(PAUSE, ready);
  }

  /// Waits until a check succeeds. Fails the test in the same cases as [#awaitReady(Question)].
  ///
  /// @param pause the time between two checks
  public void awaitReady(Duration pause, Question ready) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!ready.ask()) {
      if (process.waitFor(pause.toMillis(), TimeUnit.MILLISECONDS) || System.nanoTime() > end) {
        close();
        throw new AssertionError("A server is not ready\n" + tail());
      }
    }
  }

  /// Waits until the process accepts connections at a port of the loopback address.
  public void awaitListening(int port) throws IOException, InterruptedException {
    awaitReady(() -> {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return socket.isConnected();
      } catch (IOException _) {
        return false;
      }
    });
  }

  /// Returns the name of the log file, and the last lines of the log.
  public String tail() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return log
        + ":\n"
        + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
  }

  /// Sends SIGTERM, and waits until the process ends.
  ///
  /// @return the exit code; it is 128 + 15 if the signal ended the process
  public int terminate() throws IOException, InterruptedException {
    process.destroy();
    return await();
  }

  /// Waits until the process ends. Fails the test if the process still runs after ten minutes.
  ///
  /// @return the exit code; it is 128 plus the signal's number if a signal ended the process
  public int await() throws IOException, InterruptedException {
    return await(LIMIT);
  }

  /// Waits until the process ends. Fails the test if the process still runs after `limit`.
  ///
  /// @return the exit code; it is 128 plus the signal's number if a signal ended the process
  public int await(Duration limit) throws IOException, InterruptedException {
    if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("A process does not end\n" + tail());
    }
    return process.exitValue();
  }

  /// Sends a signal.
  ///
  /// @param name the name of the signal without `SIG`, such as `INT`
  public void signal(String name) {
    Command.run("kill", "-" + name, process.pid());
  }

  /// Returns whether the process is running.
  public boolean alive() {
    return process.isAlive();
  }

  /// Returns the peak resident memory of the process (`VmHWM` of proc(5)), in bytes.
  public long mostResidentBytes() throws IOException {
    return 1024 * Service.number(process.pid(), "status", "VmHWM:");
  }

  /// Runs an action on another thread after the process has ended.
  public void whenEnded(Runnable action) {
    CompletableFuture<Void> _ = process.onExit().thenRunAsync(action, Thread::startVirtualThread);
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
