package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Tests CDBs and parameter lists with changed bytes, and parameter lists that are too short or too
/// long. The target must give an answer that the standard defines, but not INTERNAL TARGET FAILURE.
class HostileParametersTest {
  private static final int CASES = 12_000;
  private static final int INTERNAL_TARGET_FAILURE = 0x4400;

  /// A valid command with its parameter list.
  private record Case(String cdb, String list) {}

  private static final List<Case> CASES_IN_ORDER =
      List.of(
          new Case("15 10 00 00 18 00", "00000008 00000800 00000200 0a0a021000000000ffff0000"),
          new Case(
              "55 10 00000000 00 0024 00",
              "0000000000000008 00000800 00000200 0812 04 00 0000000000000000 0000000000000000"),
          new Case("5f 00 00 00 00 00000018 00", "0000000000000000 0000000000000001 00000000"),
          new Case("5f 01 01 00 00 00000018 00", "0000000000000001 0000000000000000 00000000"),
          new Case("5f 05 03 00 00 00000018 00", "0000000000000001 0000000000000001 00000000"),
          new Case("5f 06 00 00 00 00000018 00", "0000000000000000 0000000000000002 00000000"),
          new Case(
              "83 00 00000000 00000000 0000004c 00 00",
              "01000020 00000000 0000001c 00000000"
                  + "e4000000 01030008 3ba53e89b7b9a41b 000000000000000000000000 00000200"
                  + "02000018 00000000 00000008 0000000000000000 0000000000000010"),
          new Case("12 01 83 01 00 00", ""),
          new Case("1a 00 3f ff ff 00", ""),
          new Case("5a 10 3f ff 00 00 00 01 00 00", ""),
          new Case("5e 03 00 00 00 00 00 01 00 00", ""),
          new Case("84 00 01 00000000000000 00000100 00 00", ""),
          new Case("84 03 00 00000000000000 00000100 00 00", ""),
          new Case("a3 0c 80 00 00 00 00 00 10 00 00 00", ""),
          new Case("a3 0d 80 00 00 00 00 00 10 00 00 00", ""),
          new Case("a0 00 02 00 00 00 00 00 10 00 00 00", ""),
          new Case("1d 04 00 00 00 00", ""),
          new Case("03 00 00 00 ff 00", ""));

  private final Testbed bench = new Testbed();
  private final Nexus a = bench.login("a", 1);
  private final Nexus b = bench.login("b", 1);

  @Test
  void answersAnyInput() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < CASES; i++) {
      Case chosen = CASES_IN_ORDER.get(random.nextInt(CASES_IN_ORDER.size()));
      byte[] cdb = mutated(FakeTask.hex(chosen.cdb()), 1, random);
      byte[] list = mutated(FakeTask.hex(chosen.list()), 0, random);
      if (random.nextInt(4) == 0) {
        list = Arrays.copyOf(list, random.nextInt(list.length + 40));
      }
      FakeTask task =
          new FakeTask(
              random.nextBoolean() ? a : b,
              TaskAttribute.SIMPLE,
              cdb,
              list,
              random.nextInt(4) == 0 ? random.nextInt(64) : FakeTask.LARGE,
              1 + random.nextInt(32));
      String what = "seed " + seed + ", case " + i + ": " + chosen.cdb();
      Testbed.Result result = bench.run(task, Testbed.LUN_0);
      assertNotEquals(SenseKey.HARDWARE_ERROR, result.key(), what);
      assertNotEquals(INTERNAL_TARGET_FAILURE, result.code(), what);
      assertTrue(result.data().length <= task.declaredIn(), what);
    }
    assertTrue(bench.unit.taskSet.tasks().isEmpty(), "seed " + seed);
  }

  /// Changes at most two bytes at random places from the offset `from` on. A changed byte becomes
  /// 00h, FFh or a random value, or one of its bits is inverted.
  private static byte[] mutated(byte[] bytes, int from, Random random) {
    int changes = random.nextInt(3);
    for (int i = 0; i < changes && bytes.length > from; i++) {
      int at = from + random.nextInt(bytes.length - from);
      bytes[at] =
          switch (random.nextInt(4)) {
            case 0 -> (byte) 0xFF;
            case 1 -> 0;
            case 2 -> (byte) (bytes[at] ^ 1 << random.nextInt(8));
            default -> (byte) random.nextInt(256);
          };
    }
    return bytes;
  }
}
