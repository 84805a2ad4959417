package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExtendedCopyTest {
  private static final int BLOCKS = Testbed.LENGTH / 512;

  private final Testbed bench = new Testbed();
  private final Nexus nexus = bench.login("a", 1);

  /// Returns an identification CSCD descriptor with a designator of the device identification page.
  private byte[] cscd(int designatorAt) {
    byte[] page = bench.data(nexus, "12 01 83 01 00 00");
    int length = page[designatorAt + 3];
    byte[] descriptor = new byte[32];
    descriptor[0] = (byte) 0xE4;
    System.arraycopy(page, designatorAt, descriptor, 4, 4 + length);
    descriptor[30] = 2;
    return descriptor;
  }

  private static byte[] segment(int from, int to, int blocks, long fromLba, long toLba) {
    return ByteBuffer.allocate(28)
        .putInt(0x02000018)
        .putShort((short) from)
        .putShort((short) to)
        .putShort((short) 0)
        .putShort((short) blocks)
        .putLong(fromLba)
        .putLong(toLba)
        .array();
  }

  private static byte[] list(int cscds, byte[] cscd, int segments, byte[] segment) {
    ByteBuffer list = ByteBuffer.allocate(16 + cscds * cscd.length + segments * segment.length);
    list.put((byte) 1).put((byte) 0).putShort((short) (cscds * cscd.length)).putInt(0);
    list.putInt(segments * segment.length).putInt(0);
    for (int i = 0; i < cscds; i++) {
      list.put(cscd);
    }
    for (int i = 0; i < segments; i++) {
      list.put(segment);
    }
    return list.array();
  }

  private Testbed.Result copy(byte[] list) {
    return bench.run(nexus, String.format("83 00 00000000 00000000 %08x 00 00", list.length), list);
  }

  @Test
  void copiesBlocksWithinTheUnit() {
    new Random(4).nextBytes(bench.medium.bytes());
    byte[] expected = bench.medium.bytes().clone();
    System.arraycopy(expected, 3 * 512, expected, 1024 * 512, 1000 * 512);
    assertEquals(Status.GOOD, copy(list(1, cscd(4), 1, segment(0, 0, 1000, 3, 1024))).status());
    assertArrayEquals(expected, bench.medium.bytes());
    assertEquals(Status.GOOD, copy(list(2, cscd(16), 1, segment(1, 0, 1, 0, 1))).status());
    System.arraycopy(expected, 0, expected, 512, 512);
    assertArrayEquals(expected, bench.medium.bytes(), "by its T10 vendor identifier");
  }

  @Test
  void reportsTheEndOfACopy() {
    String status = "84 00 01 00000000000000 00000100 00 00";
    assertEquals(0x2400, bench.run(nexus, status).code(), "no such list");
    assertEquals(Status.GOOD, copy(list(1, cscd(4), 2, segment(0, 0, 8, 0, 8))).status());
    assertArrayEquals(FakeTask.hex("00000008 01 0002 00 00002000"), bench.data(nexus, status));
    assertEquals(SenseKey.COPY_ABORTED, copy(list(1, cscd(4), 1, segment(0, 1, 8, 0, 8))).key());
    assertArrayEquals(FakeTask.hex("00000008 02 0000 00 00000000"), bench.data(nexus, status));
    Nexus other = bench.login("b", 1);
    assertEquals(0x2400, bench.run(other, status).code(), "another nexus");
  }

  @Test
  void tellsItsLimits() {
    byte[] data = bench.data(nexus, "84 03 00 00000000000000 00000400 00 00");
    assertArrayEquals(
        FakeTask.hex(
            "0000002a 01000000 0004 0010 00000240 01fffe00 00000000 00000000 00000000 0000 0001"
                + "01 09 00 00 00 00 00 02 02 e4"),
        data);
  }

  @Test
  void refusesTooManyDescriptors() {
    byte[] segment = segment(0, 0, 1, 0, 1);
    assertEquals(Status.GOOD, copy(list(4, cscd(4), 16, segment)).status());
    assertEquals(0x2606, copy(list(5, cscd(4), 1, segment)).code());
    assertEquals(0x2608, copy(list(1, cscd(4), 17, segment)).code());
    assertEquals(0x1A00, copy(list(5, cscd(4), 17, segment)).code());
  }

  @Test
  void refusesOtherKindsOfDescriptors() {
    byte[] cscd = cscd(4);
    cscd[0] = (byte) 0xE0;
    assertEquals(0x2607, copy(list(1, cscd, 1, segment(0, 0, 1, 0, 1))).code());
    byte[] segment = segment(0, 0, 1, 0, 1);
    segment[0] = 3;
    assertEquals(0x2609, copy(list(1, cscd(4), 1, Arrays.copyOf(segment, 8))).code());
    cscd = cscd(4);
    cscd[1] = (byte) 0xC0;
    assertEquals(
        Status.GOOD, copy(list(1, cscd, 1, segment(0, 0, 1, 0, 1))).status(), "LU ID TYPE");
    cscd[1] = 1;
    assertEquals(0x2600, copy(list(1, cscd, 1, segment(0, 0, 1, 0, 1))).code(), "a tape");
    cscd = cscd(4);
    cscd[30] = 4;
    assertEquals(0x2600, copy(list(1, cscd, 1, segment(0, 0, 1, 0, 1))).code(), "1024 bytes");
  }

  @Test
  void reachesNoOtherUnit() {
    byte[] cscd = cscd(4);
    cscd[9] ^= 1;
    Testbed.Result result = copy(list(1, cscd, 1, segment(0, 0, 1, 0, 1)));
    assertEquals(SenseKey.COPY_ABORTED, result.key());
    assertEquals(0x0D02, result.code());
    assertEquals(0x0D02, copy(list(1, cscd(4), 1, segment(1, 0, 1, 0, 1))).code());
    assertEquals(0x0D02, copy(list(0, cscd(4), 1, segment(0, 0, 1, 0, 1))).code());
  }

  @Test
  void staysWithinTheCapacity() {
    byte[] cscd = cscd(4);
    assertEquals(Status.GOOD, copy(list(1, cscd, 1, segment(0, 0, 8, 0, BLOCKS - 8))).status());
    for (long lba : new long[] {BLOCKS - 7, BLOCKS, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
      assertEquals(SenseKey.COPY_ABORTED, copy(list(1, cscd, 1, segment(0, 0, 8, 0, lba))).key());
      assertEquals(SenseKey.COPY_ABORTED, copy(list(1, cscd, 1, segment(0, 0, 8, lba, 0))).key());
    }
    assertEquals(Status.GOOD, copy(list(1, cscd, 1, segment(0, 0, 0, BLOCKS, BLOCKS))).status());
  }

  @Test
  void refusesLengthsThatLie() {
    byte[] list = list(1, cscd(4), 1, segment(0, 0, 1, 0, 1));
    assertEquals(Status.GOOD, copy(new byte[0]).status());
    for (int length = 1; length < list.length; length++) {
      assertEquals(0x1A00, copy(Arrays.copyOf(list, length)).code(), "cut at " + length);
    }
    ByteBuffer.wrap(list).putInt(8, -1);
    assertEquals(0x1A00, copy(list).code(), "4 GiB of segments");
    ByteBuffer.wrap(list).putInt(8, 28).putInt(12, -1);
    assertEquals(0x1A00, copy(list).code(), "4 GiB of inline data");
    assertEquals(
        0x1A00,
        bench.run(nexus, "83 00 00000000 00000000 ffffffff 00 00", new byte[64]).code(),
        "4 GiB of parameters");
  }
}
