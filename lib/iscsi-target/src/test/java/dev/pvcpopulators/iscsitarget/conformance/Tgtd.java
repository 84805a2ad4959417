package dev.pvcpopulators.iscsitarget.conformance;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The Linux SCSI target daemon, for comparison with our server.
final class Tgtd implements Fixture {
  private static final String NAME = "iqn.2026-11.dev.pvcpopulators:peer-";
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final long POLL_MILLIS = 5;
  private static final int CONTROL_PORTS = 30_000;

  private final Process process;
  private final List<Integer> ports;
  private final String control;
  private int targets;

  private Tgtd(Process process, List<Integer> ports, String control) {
    this.process = process;
    this.ports = ports;
    this.control = control;
  }

  /// Starts tgtd with all logical units.
  ///
  /// @param directory the directory for the files of the logical units, and for the log
  /// @param length the length of each logical unit in bytes
  static Tgtd start(Path directory, long length) throws IOException, InterruptedException {
    List<Integer> ports = List.of(FreePort.any(), FreePort.any());
    // The control port is the number of a socket below /run, not a TCP port. Sockets of earlier
    // tests may still exist, so the number depends on the process ID.
    String control = Long.toString(1 + ProcessHandle.current().pid() % CONTROL_PORTS);
    String portals = "portal=127.0.0.1:" + ports.get(0) + ",portal=127.0.0.1:" + ports.get(1);
    Process process =
        new ProcessBuilder("tgtd", "-f", "-C", control, "--iscsi", portals)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("tgtd.log").toFile())
            .start();
    Tgtd tgtd = new Tgtd(process, ports, control);
    try {
      tgtd.awaitControl();
      for (Kind kind : Kind.values()) {
        tgtd.add(kind, directory, length);
      }
    } catch (AssertionError | IOException | InterruptedException e) {
      tgtd.close();
      throw e;
    }
    return tgtd;
  }

  private void awaitControl() throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (admin("--mode", "system", "--op", "show").status() != 0) {
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) || System.nanoTime() > end) {
        throw new AssertionError("tgtd does not answer tgtadm");
      }
    }
  }

  private void add(Kind kind, Path directory, long length)
      throws IOException, InterruptedException {
    Path file = directory.resolve("tgtd-" + kind.label());
    try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
      made.setLength(length);
    }
    String tid = Integer.toString(++targets);
    admin("--mode", "target", "--op", "new", "--tid", tid, "-T", NAME + kind.label()).ok();
    String[] unit = {"--mode", "logicalunit", "--tid", tid, "--lun", "1", "--op"};
    admin(with(unit, "new", "-b", file.toString(), "--blocksize", "512")).ok();
    admin(with(unit, "update", "--params", parameters(kind))).ok();
    admin("--mode", "target", "--op", "bind", "--tid", tid, "-I", "ALL").ok();
  }

  private static String parameters(Kind kind) {
    return switch (kind) {
      case THIN, UNHURRIED -> "thin_provisioning=1,lbppbe=0";
      case READ_ONLY -> "readonly=1,lbppbe=0";
      case REMOVABLE -> "removable=1,lbppbe=0";
    };
  }

  private static String[] with(String[] first, String... more) {
    List<String> all = new ArrayList<>(List.of(first));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private Command.Ran admin(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("tgtadm", "-C", control, "--lld", "iscsi"));
    command.addAll(List.of(arguments));
    return new Command(command).within(LIMIT);
  }

  @Override
  public List<String> urls(Kind kind) {
    return ports.stream()
        .map(port -> "iscsi://127.0.0.1:" + port + "/" + NAME + kind.label() + "/1")
        .toList();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
