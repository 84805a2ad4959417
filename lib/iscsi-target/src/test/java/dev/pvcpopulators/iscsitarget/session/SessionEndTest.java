package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.iscsitarget.unit.UnitOptions;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SessionEndTest {
  private static final int DISK = 1 << 20;

  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a failure would not end
  void aSessionEndsAlthoughItsDetachmentFails() throws Exception {
    UnitOptions options =
        new UnitOptions("disk", "Disk", AccessMode.WRITE_SHARED, false, Duration.ZERO, false);
    Consumer<Nexus> failing =
        _ -> {
          throw new IllegalStateException("The listener of the test fails");
        };
    IscsiServer server = IscsiServer.open(FileServer.loopback());
    try (LogicalUnit unit = new LogicalUnit(new MemoryMedium(DISK, 1), options);
        server) {
      ScsiTarget device = new ScsiTarget();
      device.add(0, _ -> true, _ -> unit, failing);
      server.add(new Target(FileServer.TARGET, new FileServer.Anybody(), device));
      try (RawInitiator initiator = RawInitiator.connect(server.portals().getFirst())) {
        initiator.login("iqn.2026-01.test:a", FileServer.TARGET);
        initiator.clearAttentions(0);
      }
    }
    assertTrue(server.sessions().isEmpty());
  }
}
