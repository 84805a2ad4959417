package dev.pvcpopulators.iscsitarget.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/// Runs commands on a block device as a logical unit does.
final class Device {
  static final long NO_ROOM_LIMIT = Long.MAX_VALUE;
  private static final byte[] NO_DATA = new byte[0];

  final BlockDevice device;
  final Nexus nexus = nexus("iqn.2026-01.example:a");

  Device(Medium medium, BlockOptions options) {
    device = new BlockDevice(medium, options);
  }

  static Nexus nexus(String name) {
    return new Nexus(
        new InitiatorPort(name, 1), InetAddress.getLoopbackAddress(), Optional.empty());
  }

  /// The response to a command, and the task with the transferred data.
  record Result(Response response, FakeTask task) {
    byte[] dataIn() {
      return task.dataIn();
    }

    Result good() {
      assertEquals(Response.GOOD, response);
      return this;
    }

    /// Asserts CHECK CONDITION.
    ///
    /// @param code ASC and ASCQ, such as 0x2400 for 24h/00h
    Sense check(int key, int code) {
      assertEquals(Status.CHECK_CONDITION, response.status());
      Sense sense = response.sense();
      assertNotNull(sense);
      assertEquals(
          "%xh %04xh".formatted(key, code),
          "%xh %04xh".formatted(sense.key().code(), sense.code()));
      assertEquals(0, dataIn().length);
      return sense;
    }

    void invalidField(int field) {
      assertEquals(field, check(5, 0x2400).field().orElseThrow());
    }

    void outOfRange() {
      check(5, 0x2100);
    }

    ByteBuffer data() {
      return ByteBuffer.wrap(dataIn());
    }
  }

  /// Returns a CDB, padded with zeros to 16 bytes: the length of the CDB field in a PDU.
  ///
  /// @param hex hexadecimal digits, with optional blanks
  static byte[] cdb(String hex) {
    return Arrays.copyOf(HexFormat.of().parseHex(hex.replace(" ", "")), 16);
  }

  FakeTask task(String cdb, byte[] dataOut) {
    return new FakeTask(nexus, cdb(cdb), dataOut, NO_ROOM_LIMIT);
  }

  Result run(String cdb) throws IOException {
    return run(cdb, NO_DATA);
  }

  Result run(String cdb, byte[] dataOut) throws IOException {
    return run(task(cdb, dataOut));
  }

  Result run(FakeTask task) throws IOException {
    ByteBuffer cdb = task.cdb();
    Optional<Sense> notReady = device.notReady(Byte.toUnsignedInt(cdb.get(0)));
    Response response =
        notReady.isPresent() ? Response.check(notReady.get()) : entry(cdb).command().run(task);
    return new Result(response, task);
  }

  CommandEntry entry(String cdb) {
    return entry(ByteBuffer.wrap(cdb(cdb)));
  }

  CommandEntry entry(ByteBuffer cdb) {
    int opcode = Byte.toUnsignedInt(cdb.get(0));
    int serviceAction = cdb.get(1) & 0x1F;
    return device.commands().stream()
        .filter(entry -> entry.opcode() == opcode)
        .filter(entry -> entry.serviceAction() < 0 || entry.serviceAction() == serviceAction)
        .findFirst()
        .orElseThrow();
  }
}
