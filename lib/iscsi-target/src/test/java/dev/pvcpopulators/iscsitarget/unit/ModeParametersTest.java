package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ModeParametersTest {
  /// A block descriptor: 2048 blocks of 512 bytes.
  private static final String DESCRIPTOR = "00000800 00000200";

  private static final String CACHING = "0812 04 00 0000000000000000 00000000 00000000";
  private static final String CONTROL = "0a0a 02 10 00 00 0000 ffff 0000";

  private final Testbed bench = new Testbed();
  private final Nexus nexus = bench.login("a", 1);

  private int select(String list) {
    byte[] bytes = FakeTask.hex(list);
    return bench.run(nexus, String.format("15 10 00 00 %02x 00", bytes.length), bytes).code();
  }

  private int select10(String list) {
    byte[] bytes = FakeTask.hex(list);
    return bench.run(nexus, String.format("55 10 00000000 00 %04x 00", bytes.length), bytes).code();
  }

  @Test
  void aResetDuringAChangeRestoresBothThePageAndTheDevice() throws Exception {
    Nexus other = bench.login("b", 1);
    Thread resetting =
        Thread.ofPlatform()
            .unstarted(() -> {
              TaskManagementAnswer _ =
                  bench.target.manage(other, TaskManagement.LOGICAL_UNIT_RESET, Testbed.LUN_0);
            });
    bench.medium.beforeFlush(() -> {
      resetting.start();
      Thread.State state = resetting.getState();
      while (state != Thread.State.BLOCKED && state != Thread.State.TERMINATED) {
        Thread.onSpinWait();
        state = resetting.getState();
      }
    });
    byte[] writeThroughAndProtect =
        FakeTask.hex(
            "00000000" + CACHING.replaceFirst("04", "00") + CONTROL.replaceFirst("00 00", "08 00"));
    FakeTask select =
        FakeTask.of(
            nexus,
            String.format("15 10 00 00 %02x 00", writeThroughAndProtect.length),
            writeThroughAndProtect);
    assertThrows(TaskAbortedException.class, bench.dispatch(select, Testbed.LUN_0)::run);
    resetting.join();
    bench.medium.beforeFlush(() -> {});
    assertEquals(0x2900, bench.attention(nexus) & 0xFF00);
    assertEquals(Status.GOOD, bench.write(nexus));
  }

  @Test
  void sensesAPageWithHeaderAndDescriptor() {
    assertArrayEquals(
        FakeTask.hex("1f 00 10 08" + DESCRIPTOR + CACHING), bench.data(nexus, "1a 00 08 00 ff 00"));
    assertArrayEquals(
        FakeTask.hex("17 00 10 00" + CACHING), bench.data(nexus, "1a 08 08 00 ff 00"), "DBD");
    assertArrayEquals(
        FakeTask.hex("0022 00 10 00 00 0008" + DESCRIPTOR + CACHING),
        bench.data(nexus, "5a 00 08 00 00 00 00 00 ff 00"));
    assertArrayEquals(
        FakeTask.hex("0022 00 10 01 00 0010 0000000000000800 00000000 00000200" + CONTROL),
        bench.data(nexus, "5a 10 0a 00 00 00 00 00 ff 00"),
        "LLBAA");
  }

  @Test
  void sensesAllPagesAndSubpages() {
    byte[] pages = bench.data(nexus, "1a 08 3f 00 ff 00");
    byte[] withSubpages = bench.data(nexus, "1a 08 3f ff ff 00");
    assertEquals(4 + 12 + 20 + 12 + 12, pages.length);
    assertEquals(pages.length + 32, withSubpages.length);
    assertEquals(withSubpages.length - 1, withSubpages[0]);
    assertEquals(4 + 12 + 32, bench.data(nexus, "1a 08 0a ff ff 00").length);
    assertEquals(4 + 32, bench.data(nexus, "1a 08 0a 01 ff 00").length);
    assertEquals(0x2400, bench.run(nexus, "1a 08 0a 02 ff 00").code());
    assertEquals(0x2400, bench.run(nexus, "1a 08 3f 01 ff 00").code());
    assertEquals(0x2400, bench.run(nexus, "1a 08 02 00 ff 00").code());
  }

  @Test
  void cutsOffAtTheAllocationLength() {
    for (int length : List.of(0, 3, 4, 35, 36, 37, 255)) {
      assertEquals(
          Math.min(length, 32),
          bench.data(nexus, String.format("1a 00 08 00 %02x 00", length)).length);
    }
  }

  @Test
  void reportsChangeableAndDefaultValues() {
    assertEquals(-1, select("00000000" + "0812 00 00 0000000000000000 00000000 00000000"));
    byte[] current = bench.data(nexus, "1a 08 08 00 ff 00");
    byte[] changeable = bench.data(nexus, "1a 08 48 00 ff 00");
    byte[] defaults = bench.data(nexus, "1a 08 88 00 ff 00");
    assertEquals(0, current[6]);
    assertArrayEquals(
        FakeTask.hex("17001000 0812 04 00 0000000000000000 00000000 00000000"), changeable);
    assertEquals(4, defaults[6]);
    assertEquals(0x3900, bench.run(nexus, "1a 08 c8 00 ff 00").code());
    byte[] control = bench.data(nexus, "1a 08 4a 00 ff 00");
    assertArrayEquals(FakeTask.hex("0f001000 0a0a 00 00 08 40 0000 0000 0000"), control);
  }

  @Test
  void protectsFromWritesBySoftware() {
    assertEquals(Status.GOOD, bench.write(nexus));
    assertEquals(-1, select("00000000" + "0a0a 02 10 08 00 0000 ffff 0000"));
    assertEquals((byte) 0x90, bench.data(nexus, "1a 08 0a 00 ff 00")[2], "WP, DPOFUA");
    Testbed.Result write = bench.run(nexus, Testbed.WRITE_10, new byte[512]);
    assertEquals(SenseKey.DATA_PROTECT, write.key());
    assertEquals(0x27, write.code() >> 8);
    assertEquals(Status.GOOD, bench.status(nexus, Testbed.READ_10));
    assertEquals(-1, select10("0000000000000000" + CONTROL));
    assertEquals(Status.GOOD, bench.write(nexus));
  }

  @Test
  void writesThroughWithoutACache() {
    int before = bench.medium.flushes();
    assertEquals(Status.GOOD, bench.write(nexus));
    assertEquals(before, bench.medium.flushes());
    assertEquals(-1, select("00000000" + "0812 00 00 0000000000000000 00000000 00000000"));
    assertEquals(before + 1, bench.medium.flushes(), "the cache is emptied");
    assertEquals(Status.GOOD, bench.write(nexus));
    assertEquals(before + 2, bench.medium.flushes());
  }

  @Test
  void keepsTheCacheThatCannotBeEmptied() {
    bench.medium.failNextFlush(new IOException("broken"));
    int before = bench.medium.flushes();
    assertEquals(0x0C00, select("00000000" + "0812 00 00 0000000000000000 00000000 00000000"));
    assertEquals(4, bench.data(nexus, "1a 08 08 00 ff 00")[6], "WCE");
    assertEquals(Status.GOOD, bench.write(nexus));
    assertEquals(before, bench.medium.flushes(), "the write is not written through");
  }

  @Test
  void correctsItsReport() {
    byte[] told = bench.data(nexus, "1a 00 3f ff ff 00");
    told[0] = 0;
    Testbed.Result result =
        bench.run(nexus, String.format("15 10 00 00 %02x 00", told.length), told);
    assertEquals(Status.GOOD, result.status());
  }

  @Test
  void refusesUnchangeableParameters() {
    assertEquals(0x2600, select("00000000" + "0a0a 06 10 00 00 0000 ffff 0000"), "D_SENSE");
    assertEquals(0x2600, select("00000000" + "0a0b 02 10 00 00 0000 ffff 0000 00"), "length");
    assertEquals(0x2600, select("00000000" + "0202 0000"), "no such page");
    assertEquals(0x2600, select("00000000" + "4a01 001d" + "00".repeat(29)), "subpage length");
    assertEquals(0x2600, select("00000000" + "0a01 001c" + "00".repeat(28)), "SPF");
    assertEquals(0x2600, select("00000008" + "00000801 00000200"), "capacity");
    assertEquals(0x2600, select("00000008" + "00000800 00001000"), "block length");
    assertEquals(0x2600, select("00000004" + "00000000"), "descriptor length");
    assertEquals(-1, select("00000008" + DESCRIPTOR));
    assertEquals(-1, select("00000008" + "ffffffff 00000200"));
    assertEquals(-1, select("00000008" + "00000000 00000000"));
  }

  @Test
  void changesNothingWhereOnePageIsInError() {
    assertEquals(
        0x2600,
        select("00000000" + "0a0a 02 10 08 00 0000 ffff 0000" + "0812 05" + "00".repeat(17)));
    assertEquals(Status.GOOD, bench.write(nexus));
  }

  @Test
  void refusesLengthsThatLie() {
    assertEquals(-1, select(""), "an empty list");
    assertEquals(0x1A00, select("000000"), "half a header");
    assertEquals(0x1A00, select("00000008" + "00000800"), "half a descriptor");
    assertEquals(0x1A00, select("00000000" + "0a"), "half a page header");
    assertEquals(0x1A00, select("00000000" + "4a 01 00"), "half a subpage header");
    assertEquals(0x1A00, select("00000000" + "0a0a 02 10 00 00 0000 ffff 00"), "half a page");
    assertEquals(0x1A00, select10("00000000000000"), "half a header");
    assertEquals(0x2600, select10("000000000000ffff" + "00".repeat(16)), "descriptor of 65535");
    assertEquals(0x1A00, select10("0000000001000010"), "no room for the descriptor");
    assertEquals(
        0x1A00,
        bench.run(nexus, "55 10 00000000 00 ffff 00", new byte[65535]).code(),
        "longer than any list");
    assertEquals(
        0x1A00, bench.run(nexus, "15 10 00 00 10 00", new byte[3]).code(), "less than it says");
    assertEquals(0x2400, bench.run(nexus, "15 11 00 00 00 00", new byte[0]).code(), "SP");
    assertEquals(0x2400, bench.run(nexus, "15 00 00 00 00 00", new byte[0]).code(), "no PF");
  }

  @Test
  void saysThatASharedDiskIsWriteProtected() {
    Testbed shared = new Testbed(AccessMode.READ_SHARED, Duration.ZERO);
    Nexus reader = shared.login("a", 1);
    assertEquals((byte) 0x90, shared.data(reader, "1a 08 08 00 ff 00")[2]);
    assertEquals(0x27, shared.run(reader, Testbed.WRITE_10, new byte[512]).code() >> 8);
    assertEquals(Status.GOOD, shared.status(reader, Testbed.READ_10));
  }

  @Test
  void forgetsChangesAtAReset() {
    assertEquals(-1, select("00000000" + "0a0a 02 10 08 40 0000 ffff 0000"));
    bench.target.manage(nexus, TaskManagement.LOGICAL_UNIT_RESET, Testbed.LUN_0);
    assertEquals(0x2903, bench.attention(nexus));
    assertArrayEquals(FakeTask.hex("0f001000" + CONTROL), bench.data(nexus, "1a 08 0a 00 ff 00"));
  }
}
