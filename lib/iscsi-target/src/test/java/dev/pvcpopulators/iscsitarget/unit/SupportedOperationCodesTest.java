package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SupportedOperationCodesTest {
  private final Testbed bench = new Testbed();
  private final Nexus nexus = bench.login("a", 1);

  private Testbed.Result ask(int options, int opcode, int action) {
    return bench.run(
        nexus, String.format("a3 0c %02x %02x %04x 0000ffff 00 00", options, opcode, action));
  }

  @Test
  void reportsOneCommandLikeAll() {
    ByteBuffer all = ByteBuffer.wrap(ask(0, 0, 0).data());
    assertEquals(all.getInt(), all.remaining());
    int count = 0;
    while (all.hasRemaining()) {
      int opcode = all.get() & 0xFF;
      all.get();
      int action = all.getShort();
      all.get();
      boolean withActions = (all.get() & 1) != 0;
      int length = all.getShort();
      assertTrue(withActions || action == 0);
      Testbed.Result byCode = ask(1, opcode, 0);
      Testbed.Result byAction = ask(2, opcode, action);
      assertEquals(0x2400, (withActions ? byCode : byAction).code());
      ByteBuffer one = ByteBuffer.wrap((withActions ? byAction : byCode).data());
      assertEquals(3, one.getShort());
      assertEquals(length, one.getShort());
      assertEquals(length, one.remaining());
      assertEquals(opcode, one.get() & 0xFF);
      assertArrayEquals((withActions ? byAction : byCode).data(), ask(3, opcode, action).data());
      int expected = opcode < 0x20 ? 6 : opcode < 0x60 ? 10 : opcode < 0xA0 ? 16 : 12;
      assertEquals(expected, length, "CDB length of " + opcode);
      count++;
    }
    assertTrue(count > 50, "commands: " + count);
  }

  @Test
  void addsTimeouts() {
    ByteBuffer all = ByteBuffer.wrap(ask(0x80, 0, 0).data());
    assertEquals(0, all.getInt() % 20);
    assertEquals(2, all.get(4 + 5) & 2);
    assertEquals(10, all.getShort(4 + 8));
    assertArrayEquals(
        FakeTask.hex("00 83 0006 000000000004 000a 00000000000000000000"), ask(0x81, 0, 0).data());
  }

  @Test
  void reportsUnsupportedFeatures() {
    assertArrayEquals(FakeTask.hex("00010000"), ask(1, 0xFF, 0).data());
    assertArrayEquals(FakeTask.hex("00010000"), ask(2, 0x9E, 0x1F).data());
    assertArrayEquals(FakeTask.hex("00010000"), ask(2, 0x9E, 0xFFFF).data());
    assertArrayEquals(FakeTask.hex("00010000"), ask(3, 0x00, 1).data());
    for (int option = 4; option < 8; option++) {
      assertEquals(0x2400, ask(option, 0, 0).code());
    }
  }

  /// The target refuses an operation code as unknown if and only if the target does not list this
  /// code.
  @Test
  void listsRunningOperations() {
    for (int opcode = 0; opcode < 256; opcode++) {
      boolean listed = ask(1, opcode, 0).data().length != 4;
      Testbed.Result result =
          bench.run(nexus, String.format("%02x 1e ff ff ff ff ff ff ff ff", opcode));
      boolean unknown = result.key() == SenseKey.ILLEGAL_REQUEST && result.code() == 0x2000;
      assertEquals(listed, !unknown, "operation code " + opcode);
    }
  }

  @Test
  void tellsTaskManagementFunctions() {
    assertArrayEquals(
        FakeTask.hex("da000000"), bench.data(nexus, "a3 0d 00 000000 00000004 00 00"));
    assertArrayEquals(
        FakeTask.hex("da00000c" + "00".repeat(12)),
        bench.data(nexus, "a3 0d 80 000000 00000100 00 00"));
    assertEquals(0x2400, bench.run(nexus, "a3 0d 00 000000 00000003 00 00").code());
  }
}
