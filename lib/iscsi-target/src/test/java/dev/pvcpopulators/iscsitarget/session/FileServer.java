package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.login.ChapIdentity;
import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import dev.pvcpopulators.iscsitarget.medium.FileMedium;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.iscsitarget.unit.UnitOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A server with one target and disks that every initiator may use. As a program, it serves files
/// until it is killed.
public final class FileServer implements AutoCloseable {
  public static final String TARGET = "iqn.2017-01.io.kubevirt:sn.42";

  private final IscsiServer server;
  private final List<LogicalUnit> units = new ArrayList<>();

  /// Starts a server.
  ///
  /// @param disks the disks of LUN 0, LUN 1 and so on; [#close] closes the disks
  public FileServer(ServerOptions options, Medium... disks) throws IOException {
    ScsiTarget device = new ScsiTarget();
    for (Medium disk : disks) {
      LogicalUnit unit =
          new LogicalUnit(
              disk,
              new UnitOptions(
                  "test disk " + units.size(),
                  "Disk",
                  AccessMode.WRITE_SHARED,
                  false,
                  Duration.ZERO,
                  false));
      device.add(units.size(), _ -> true, _ -> unit);
      units.add(unit);
    }
    server = IscsiServer.open(options);
    server.add(new Target(TARGET, new Anybody(), device));
  }

  /// Returns options with one portal on the loopback address.
  public static ServerOptions loopback() {
    return ServerOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  public IscsiServer server() {
    return server;
  }

  public InetSocketAddress portal() {
    return server.portals().getFirst();
  }

  /// Returns the URL of a disk for libiscsi's tools.
  public String url(int lun) {
    return "iscsi://127.0.0.1:" + portal().getPort() + "/" + TARGET + "/" + lun;
  }

  public LogicalUnit unit(int lun) {
    return units.get(lun);
  }

  @Override
  public void close() {
    server.close();
    units.forEach(LogicalUnit::close);
  }

  /// Access control that admits every initiator without authentication.
  public static final class Anybody implements AccessControl {
    @Override
    public boolean admits(String initiatorName, InetAddress address) {
      return true;
    }

    @Override
    public boolean authenticates() {
      return false;
    }

    @Override
    public Optional<ChapSecret> secret(String user) {
      return Optional.empty();
    }

    @Override
    public Optional<ChapIdentity> identity() {
      return Optional.empty();
    }
  }

  /// Runs `FileServer PORT FILE…`.
  public static void main(String[] arguments) throws Exception {
    Medium[] disks = new Medium[arguments.length - 1];
    for (int i = 0; i < disks.length; i++) {
      disks[i] = FileMedium.open(Path.of(arguments[i + 1]), true);
    }
    InetSocketAddress portal =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
    try (FileServer server = new FileServer(ServerOptions.on(portal), disks)) {
      System.out.println(server.url(0));
      Thread.currentThread().join();
    }
  }
}
