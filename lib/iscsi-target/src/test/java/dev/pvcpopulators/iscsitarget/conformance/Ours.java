package dev.pvcpopulators.iscsitarget.conformance;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.medium.FileMedium;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.session.IscsiServer;
import dev.pvcpopulators.iscsitarget.session.ServerOptions;
import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.iscsitarget.unit.UnitOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Our server in this process, with two portals and one target for each logical unit.
final class Ours implements Fixture {
  static final String NAME = "iqn.2026-11.dev.pvcpopulators:";
  static final int LUN = 0;

  /// The length in bytes of the medium with slow writes. A SANITIZE of this medium takes half a
  /// minute. The test `Sanitize.Reset` checks the progress after four seconds and the end a minute
  /// later.
  private static final long UNHURRIED_LENGTH = 16L << 20;

  private final IscsiServer server;
  private final List<LogicalUnit> units;

  private Ours(IscsiServer server, List<LogicalUnit> units) {
    this.server = server;
    this.units = units;
  }

  /// Starts our server with all logical units.
  ///
  /// @param directory the directory for the files of the logical units
  /// @param length the length in bytes of each logical unit, except the unit with slow writes
  static Ours start(Path directory, long length) throws IOException {
    return start(directory, length, options());
  }

  static Ours start(Path directory, long length, ServerOptions options) throws IOException {
    Ours ours = new Ours(IscsiServer.open(options), new ArrayList<>());
    for (Kind kind : Kind.values()) {
      Path file = directory.resolve("ours-" + kind.label());
      try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
        made.setLength(kind == Kind.UNHURRIED ? UNHURRIED_LENGTH : length);
      }
      ours.add(kind, file);
    }
    return ours;
  }

  /// Returns the default options with two portals.
  static ServerOptions options() {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    ServerOptions one = ServerOptions.on(any);
    return new ServerOptions(
        List.of(any, any),
        one.advertised(),
        one.maxSessions(),
        one.maxConnections(),
        one.loginTimeout(),
        one.keepalive(),
        one.arrivalTimeout(),
        one.requireDigests(),
        one.takeMd5());
  }

  private void add(Kind kind, Path file) throws IOException {
    UnitOptions options =
        new UnitOptions(
            "conformance-" + kind.label(),
            "Test disk",
            kind == Kind.READ_ONLY ? AccessMode.READ_SHARED : AccessMode.WRITE_SHARED,
            kind == Kind.REMOVABLE,
            Duration.ZERO,
            false);
    Medium medium = FileMedium.open(file, kind != Kind.READ_ONLY);
    LogicalUnit unit =
        new LogicalUnit(kind == Kind.UNHURRIED ? new UnhurriedMedium(medium) : medium, options);
    units.add(unit);
    ScsiTarget device = new ScsiTarget();
    device.add(LUN, _ -> true, _ -> unit);
    server.add(new Target(name(kind), new Everybody(), device));
  }

  /// Returns the iSCSI name of the target with this kind of logical unit.
  static String name(Kind kind) {
    return NAME + kind.label();
  }

  /// Returns the ports of the portals.
  List<Integer> ports() {
    return server.portals().stream().map(InetSocketAddress::getPort).toList();
  }

  IscsiServer server() {
    return server;
  }

  @Override
  public List<String> urls(Kind kind) {
    return ports().stream()
        .map(port -> "iscsi://127.0.0.1:" + port + "/" + name(kind) + "/" + LUN)
        .toList();
  }

  @Override
  public void close() {
    server.close();
    units.forEach(LogicalUnit::close);
  }
}
