package dev.pvcpopulators.it.disk;

import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// A process of iscsi-perf that reads a LUN until [#close] kills the process. The log contains
/// libiscsi's messages, for example about the login, or about a target that requests a logout. The
/// process ends without a logout.
public final class IscsiPerf implements AutoCloseable {
  private final ServerProcess process;
  private final Path log;

  private IscsiPerf(ServerProcess process, Path log) {
    this.process = process;
    this.log = log;
  }

  /// Logs in and begins to read.
  public static IscsiPerf of(IscsiLun lun) throws IOException {
    Path log = Files.createTempFile("iscsi-perf", ".log");
    List<String> logging = List.of("env", "LIBISCSI_DEBUG=2", "iscsi-perf");
    List<String> options = List.of("-i", lun.initiator(), "-m", "4", "-b", "64", "-r", lun.url());
    List<String> command = Stream.concat(logging.stream(), options.stream()).toList();
    return new IscsiPerf(ServerProcess.start(log, command), log);
  }

  /// Waits until the log contains a text. Fails the test if the process ends first, or if the text
  /// does not appear within ten minutes.
  public void await(String text) throws IOException, InterruptedException {
    process.awaitReady(() -> Files.readString(log).contains(text));
  }

  @Override
  public void close() throws IOException {
    process.close();
    Files.deleteIfExists(log);
  }
}
