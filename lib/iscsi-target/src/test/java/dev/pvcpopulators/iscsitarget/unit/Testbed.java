package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/// A target with a logical unit 0 of 1 MiB, and its initiators.
final class Testbed {
  static final int LENGTH = 1 << 20;
  static final long LUN_0 = 0;

  static final String TEST_UNIT_READY = "00 00 00 00 00 00";
  static final String REQUEST_SENSE = "03 00 00 00 ff 00";
  static final String READ_10 = "28 00 00 00 00 00 00 00 01 00";
  static final String WRITE_10 = "2a 00 00 00 00 00 00 00 01 00";

  final MemoryMedium medium = new MemoryMedium(LENGTH);
  final LogicalUnit unit;
  final ScsiTarget target = new ScsiTarget();

  Testbed() {
    this(CommandObserver.NONE);
  }

  Testbed(CommandObserver observer) {
    this(AccessMode.WRITE_SHARED, Duration.ofDays(1), observer);
  }

  Testbed(AccessMode access, Duration exclusiveGrace) {
    this(access, exclusiveGrace, CommandObserver.NONE);
  }

  private Testbed(AccessMode access, Duration exclusiveGrace, CommandObserver observer) {
    unit =
        new LogicalUnit(
            medium,
            new UnitOptions("registry/disk@1", "Disk", access, true, exclusiveGrace, false),
            observer);
    target.add(0, nexus -> true, nexus -> unit);
  }

  /// Opens a session and clears its unit attentions.
  Nexus login(String name, long isid) {
    Nexus nexus = attach(name, isid);
    while (!good(nexus, TEST_UNIT_READY)) {
      // The command reported a unit attention.
    }
    return nexus;
  }

  /// Opens a session and sends no command.
  Nexus attach(String name, long isid) {
    Nexus nexus =
        new Nexus(
            new InitiatorPort("iqn.2026-01.test:" + name, isid),
            InetAddress.getLoopbackAddress(),
            Optional.empty());
    target.attach(nexus);
    return nexus;
  }

  /// The response to a command, and the data that the command returned.
  static final class Result {
    private final Response response;
    private final byte[] data;

    Result(Response response, byte[] data) {
      this.response = response;
      this.data = data;
    }

    Response response() {
      return response;
    }

    byte[] data() {
      return data;
    }

    int code() {
      Sense sense = response.sense();
      return sense == null ? -1 : sense.code();
    }

    SenseKey key() {
      Sense sense = response.sense();
      return sense == null ? SenseKey.NO_SENSE : sense.key();
    }

    Status status() {
      return response.status();
    }
  }

  Result run(Nexus nexus, String cdb) {
    return run(FakeTask.of(nexus, cdb), LUN_0);
  }

  Result run(Nexus nexus, String cdb, byte[] dataOut) {
    return run(FakeTask.of(nexus, cdb, dataOut), LUN_0);
  }

  UnitTask dispatch(FakeTask task, long lun) {
    target.dispatch(task, lun);
    return task;
  }

  Result run(FakeTask task, long lun) {
    try {
      return new Result(dispatch(task, lun).run(), task.dataIn());
    } catch (TaskAbortedException e) {
      throw new AssertionError("Nobody aborted it", e);
    }
  }

  boolean good(Nexus nexus, String cdb) {
    return run(nexus, cdb).status() == Status.GOOD;
  }

  byte[] data(Nexus nexus, String cdb) {
    Result result = run(nexus, cdb);
    assertEquals(Response.GOOD, result.response());
    return result.data();
  }

  Status status(Nexus nexus, String cdb) {
    return run(nexus, cdb).status();
  }

  Status write(Nexus nexus) {
    return run(nexus, WRITE_10, new byte[BLOCK]).status();
  }

  static final int BLOCK = 512;

  /// Returns the parameter list of PERSISTENT RESERVE OUT.
  static byte[] keys(long key, long serviceActionKey, int flags) {
    return ByteBuffer.allocate(24)
        .putLong(key)
        .putLong(serviceActionKey)
        .putInt(0)
        .put((byte) flags)
        .array();
  }

  /// Runs PERSISTENT RESERVE OUT.
  Result reserveOut(Nexus nexus, int action, int type, long key, long serviceActionKey) {
    return run(
        nexus,
        String.format("5f %02x %02x 00 00 00 00 00 18 00", action, type),
        keys(key, serviceActionKey, 0));
  }

  /// Returns the next unit attention of a nexus, or -1 without a unit attention.
  int attention(Nexus nexus) {
    Result result = run(nexus, TEST_UNIT_READY);
    return result.key() == SenseKey.UNIT_ATTENTION ? result.code() : -1;
  }
}
