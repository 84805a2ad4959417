package dev.pvcpopulators.iscsitarget.block;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerifyTest {
  private static final int BLOCKS = 1024;

  private final ArrayMedium medium = new ArrayMedium(BLOCKS * 512);
  private final Device device = new Device(medium, BlockOptions.disk());

  VerifyTest() {
    new Random(1).nextBytes(medium.bytes());
  }

  private byte[] stored(int lba, int count) {
    return Arrays.copyOfRange(medium.bytes(), lba * 512, (lba + count) * 512);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2f %02x 00000102 00 0180 00",
        "af %02x 00000102 00000180 00 00",
        "8f %02x 0000000000000102 00000180 00 00"
      })
  void comparesEachBlock(String cdb) throws IOException {
    byte[] data = stored(0x102, 0x180);
    device.run(cdb.formatted(0x02), data).good();
    device.run(device.task(cdb.formatted(0x12), data).inPieces(most -> 70_000)).good();
    for (int at : new int[] {0, 65_535, 65_536, 0x180 * 512 - 1}) {
      data[at] ^= 1;
      FakeTask task = device.task(cdb.formatted(0x02), data).inPieces(most -> 70_000);
      assertEquals(at, device.run(task).check(0xE, 0x1D00).information().orElseThrow());
      data[at] ^= 1;
    }
    assertEquals(0, medium.count("write"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2f %02x 00000102 00 0180 00",
        "af %02x 00000102 00000180 00 00",
        "8f %02x 0000000000000102 00000180 00 00"
      })
  void comparesNothingWithoutBytchk(String cdb) throws IOException {
    Device.Result result = device.run(cdb.formatted(0), new byte[0x180 * 512]).good();
    assertEquals(0, result.task().received());
    assertEquals(0x180 * 512, medium.calls.stream().mapToLong(ArrayMedium.Call::length).sum());
    medium.broken = new IOException("a bad sector");
    assertThrows(IOException.class, () -> device.run(cdb.formatted(0)));
  }

  @Test
  void comparesAllBlocksWithOne() throws IOException {
    byte[] block = stored(0, 1);
    for (int lba = 100; lba < 400; lba++) {
      System.arraycopy(block, 0, medium.bytes(), lba * 512, 512);
    }
    String cdb = "2f 06 00000064 00 012c 00";
    assertEquals(512, device.run(cdb, block).good().task().declared());
    device.run(cdb, new byte[511]).invalidField(7);
    medium.bytes()[399 * 512 + 5] ^= 1;
    assertEquals(5, device.run(cdb, block).check(0xE, 0x1D00).information().orElseThrow());
  }

  @Test
  void checksItsFields() throws IOException {
    device.run("2f 04 00000000 00 0001 00", new byte[512]).invalidField(1);
    device.run("2f 22 00000000 00 0001 00", new byte[512]).invalidField(1);
    device.run("8f 02 0000000000000000 00010001 00 00").invalidField(10);
    device.run("2f 02 00000400 00 0000 00").good();
    device.run("2f 02 00000401 00 0000 00").outOfRange();
    device.run("8f 02 8000000000000000 00000000 00 00").outOfRange();
    device.run("2f 00 000003ff 00 0002 00").outOfRange();
    // The device verifies only the blocks for which the initiator sends data.
    device.run("2f 02 00000000 00 0002 00", stored(0, 1)).good();
    for (String opcode : new String[] {"2e 04", "2e 06", "2e 20"}) {
      device.run(opcode + "00000000 00 0001 00", new byte[512]).invalidField(1);
    }
    device.run("ae 02 000003ff 00000002 00 00", new byte[1024]).outOfRange();
    device.run("8e 02 0000000000000000 00010001 00 00").invalidField(10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2e 02 00000102 00 0180 00",
        "2e 00 00000102 00 0180 00",
        "ae 02 00000102 00000180 00 00",
        "8e 02 0000000000000102 00000180 00 00"
      })
  void writesAndReadsBack(String cdb) throws IOException {
    byte[] data = new byte[0x180 * 512];
    new Random(2).nextBytes(data);
    device.run(device.task(cdb, data).inPieces(most -> 70_000)).good();
    assertArrayEquals(data, stored(0x102, 0x180));
    assertEquals(1, medium.count("flush"));
    long read =
        medium.calls.stream()
            .filter(call -> call.what().equals("read"))
            .mapToLong(ArrayMedium.Call::length)
            .sum();
    assertEquals(data.length, read);
  }

  @Test
  void endsEarlyWhereItIsAborted() {
    FakeTask task = device.task("2f 00 00000000 00 0180 00", new byte[0]);
    task.abort(false);
    assertThrows(TaskAbortedException.class, () -> device.run(task));
  }

  @Test
  void prefetches() throws IOException {
    device.run("34 00 00000000 00 0008 00").good();
    assertEquals(4096, medium.calls.getLast().length());
    device.run("34 02 00000000 00 0000 00").good();
    device.run("90 02 0000000000000400 00000000 00 00").good();
    device.run("34 00 00000401 00 0000 00").outOfRange();
    device.run("90 00 ffffffffffffffff 00000000 00 00").outOfRange();
    device.run("90 00 00000000000003ff 00000002 00 00").outOfRange();
  }

  @Test
  void synchronizes() throws IOException {
    device.run("35 00 00000000 00 0000 00").good();
    device.run("91 00 0000000000000000 00000400 00 00").good();
    assertEquals(2, medium.count("flush"));
    device.run("35 00 00000401 00 0000 00").outOfRange();
    device.run("91 02 0000000000000001 00000400 00 00").outOfRange();
    assertEquals(2, medium.count("flush"));
  }

  @Test
  void tellsOfAFlushThatFailedInTheBackground() throws IOException {
    IOException failure = new IOException("no power");
    medium.broken = failure;
    device.run("35 02 00000000 00 0000 00").good();
    String sync = "35 02 00000000 00 0000 00";
    IOException e =
        assertThrows(
            IOException.class,
            () -> {
              while (true) {
                device.run(sync).good();
                Thread.onSpinWait();
              }
            });
    assertSame(failure, e.getCause());
  }
}
