package dev.pvcpopulators.it.torture.fault;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A fault that makes system calls of the process fail, or delays them. Uses strace.
final class CallFault implements MachineFault {
  private static final String STORAGE = "EIO ENOSPC EDQUOT";

  /// In each thread, the first call that fails has a random number below this bound. strace counts
  /// the calls of each thread from 1.
  private static final int MOST_BEFORE = 12;

  private final Kind kind;
  private @Nullable Process tracer;

  enum Kind {
    /// The flush of written data to storage fails.
    SYNC_ERROR("fsync fdatasync", STORAGE),
    /// A system call that writes data, or changes a file's length or allocation, returns an error.
    WRITE_ERROR("pwrite64 fallocate ftruncate copy_file_range", STORAGE),
    /// An operation on a file name, or a change of a file's mode, fails.
    NAME_ERROR("renameat2 rename unlinkat mkdir fchmod linkat", STORAGE),
    /// Writes and flushes succeed, but slowly.
    SLOW_DISK("pwrite64,fsync,fdatasync", "");

    private final String calls;
    private final String errors;

    /// Creates a kind of fault.
    ///
    /// @param calls words separated by spaces; each round uses one of them at random. A word is the
    ///   name of a system call, or several names separated by commas
    /// @param errors names of errors, separated by spaces; each round uses one of them at random.
    ///   If `errors` is empty, the calls are delayed and do not fail
    Kind(String calls, String errors) {
      this.calls = calls;
      this.errors = errors;
    }

    /// Returns the value of strace's option `inject`.
    private String injection(SplittableRandom random) {
      String call = any(calls, random);
      if (errors.isEmpty()) {
        return call + ":delay_exit=" + random.nextInt(2, 20) + "ms";
      }
      String error = any(errors, random);
      String since = random.nextInt(1, MOST_BEFORE) + (random.nextBoolean() ? "+" : "");
      return call + ":error=" + error + ":when=" + since;
    }

    private static String any(String words, SplittableRandom random) {
      List<String> list = List.of(words.split(" ", -1));
      return list.get(random.nextInt(list.size()));
    }
  }

  CallFault(Kind kind) {
    this.kind = kind;
  }

  @Override
  public String name() {
    return kind.name();
  }

  /// In half of the rounds, this method already starts strace. In these rounds, the fault also
  /// affects system calls before the round's moment.
  @Override
  public void arm(FaultContext scene) throws IOException {
    if (scene.random().nextBoolean()) {
      attach(scene);
    }
  }

  @Override
  public void strike(FaultContext scene) throws IOException {
    if (tracer == null) {
      attach(scene);
    }
    scene.wire().open();
  }

  private void attach(FaultContext scene) throws IOException {
    String injection = kind.injection(scene.random());
    List<String> command = new ArrayList<>(List.of("strace", "-f", "-o", "/dev/null"));
    command.addAll(List.of("-e", "trace=" + injection.substring(0, injection.indexOf(':'))));
    command.addAll(List.of("-e", "inject=" + injection));
    command.addAll(List.of("-p", Long.toString(scene.service().pid())));
    Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
    tracer = started;
    CompletableFuture<@Nullable Void> attached = new CompletableFuture<>();
    Thread.startVirtualThread(() -> read(started, attached));
    attached.join();
  }

  /// Reads the output of strace to its end. Completes `attached` at the line "Process … attached"
  /// or "Process … attached with … threads". If this line is missing because the process has ended,
  /// completes `attached` at the end of the output.
  private static void read(Process tracer, CompletableFuture<@Nullable Void> attached) {
    try (BufferedReader output = tracer.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.contains("attached")) {
          attached.complete(null);
        }
      }
    } catch (IOException _) {
      // Reading fails if the method heal has ended strace.
    } finally {
      attached.complete(null);
    }
  }

  @Override
  public void heal(FaultContext scene) {
    Process running = tracer;
    if (running != null) {
      // When strace ends, it detaches from the process.
      running.destroy();
      running.onExit().join();
      tracer = null;
    }
  }
}
