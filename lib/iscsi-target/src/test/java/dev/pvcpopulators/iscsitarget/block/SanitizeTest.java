package dev.pvcpopulators.iscsitarget.block;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SanitizeTest {
  private static final int BLOCKS = 2048;
  private static final int TEST_UNIT_READY = 0x00;

  private final ArrayMedium medium = new ArrayMedium(BLOCKS * 512);
  private final Device device = new Device(medium, BlockOptions.disk());

  SanitizeTest() {
    new Random(1).nextBytes(medium.bytes());
  }

  private static byte[] list(int flagsAndCount, int patternLength, byte... pattern) {
    ByteBuffer list = ByteBuffer.allocate(4 + pattern.length);
    list.put((byte) flagsAndCount).put((byte) 0).putShort((short) patternLength).put(pattern);
    return list.array();
  }

  private Device.Result overwrite(byte[] list) throws IOException {
    return device.run("48 01 0000000000 %04x 00".formatted(list.length), list);
  }

  private static byte[] repeated(byte... pattern) {
    byte[] all = new byte[BLOCKS * 512];
    for (int i = 0; i < all.length; i++) {
      all[i] = pattern[i % 512 % pattern.length];
    }
    return all;
  }

  @Test
  void overwritesWithAPattern() throws IOException {
    overwrite(list(1, 1, (byte) 0xAA)).good();
    assertArrayEquals(repeated((byte) 0xAA), medium.bytes());
    overwrite(list(1, 3, (byte) 1, (byte) 2, (byte) 3)).good();
    assertArrayEquals(repeated((byte) 1, (byte) 2, (byte) 3), medium.bytes());
    byte[] block = new byte[512];
    new Random(2).nextBytes(block);
    overwrite(list(1, 512, block)).good();
    assertArrayEquals(repeated(block), medium.bytes());
    assertFalse(device.device.notReady(TEST_UNIT_READY).isPresent());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 31})
  void overwritesAsOftenAsItIsAsked(int passes) throws IOException {
    medium.calls.clear();
    overwrite(list(0x80 | passes, 1, (byte) 0x0F)).good();
    long written =
        medium.calls.stream()
            .filter(call -> call.what().equals("write"))
            .mapToLong(ArrayMedium.Call::length)
            .sum();
    assertEquals((long) passes * BLOCKS * 512, written);
    assertTrue(medium.count("flush") >= passes);
    // With INVERT, each pass writes the complement of the previous pass.
    assertArrayEquals(repeated((byte) (passes % 2 == 1 ? 0x0F : 0xF0)), medium.bytes());
  }

  @ParameterizedTest
  @ValueSource(strings = {"48 02 0000000000 0000 00", "48 03 0000000000 0000 00"})
  void erases(String cdb) throws IOException {
    device.run(cdb).good();
    assertArrayEquals(new byte[BLOCKS * 512], medium.bytes());
    assertEquals(0, medium.count("write"));
    ByteBuffer status = device.run("9e 12 0000000000000000 00000100 00 00").good().data();
    assertEquals(24, status.remaining());
    assertEquals(BLOCKS, status.getInt(16));
    assertEquals(1, status.get(20));
  }

  @Test
  void checksItsFields() throws IOException {
    byte[] before = medium.bytes().clone();
    byte[] block = new byte[513];
    for (int length = 0; length <= 4; length++) {
      device.run("48 01 0000000000 %04x 00".formatted(length), list(1, 1)).invalidField(7);
    }
    overwrite(list(1, 512, block)).invalidField(7);
    overwrite(list(0, 1, (byte) 1)).check(5, 0x2600);
    overwrite(list(0x20, 1, (byte) 1)).check(5, 0x2600);
    overwrite(list(1, 0, (byte) 1)).check(5, 0x2600);
    overwrite(list(1, 2, (byte) 1)).check(5, 0x2600);
    overwrite(list(1, 516, Arrays.copyOf(block, 512))).check(5, 0x2600);
    // The initiator sends less data than the CDB states.
    device.run("48 01 0000000000 0005 00", new byte[3]).check(5, 0x2600);
    device.run("48 01 0000000000 0005 00", list(1, 1)).check(5, 0x2600);
    for (String action : new String[] {"02", "03", "1f"}) {
      device.run("48" + action + "0000000000 0008 00", new byte[8]).invalidField(7);
    }
    for (String action : new String[] {"41", "42", "43", "5f"}) {
      device.run("48" + action + "0000000000 0000 00").invalidField(1);
    }
    for (int at = 2; at < 7; at++) {
      byte[] cdb = Device.cdb("48 02");
      cdb[at] = 1;
      device
          .run(new FakeTask(device.nexus, cdb, new byte[0], Device.NO_ROOM_LIMIT))
          .invalidField(at);
    }
    device.run("48 1f 0000000000 0000 00").good();
    assertArrayEquals(before, medium.bytes());
  }

  @Test
  void refusesOtherCommandsWhileItRuns() throws Exception {
    CountDownLatch half = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Phaser writes = new Phaser(1);
    medium.halfway =
        () -> {
          // Blocks SANITIZE in the second of its four writes of 256 KiB.
          if (writes.arrive() == 1) {
            half.countDown();
            awaitUninterruptibly(go);
          }
        };
    device.run("48 81 0000000000 0005 00", list(1, 1, (byte) 5)).good();
    half.await();
    Sense sense = device.device.notReady(TEST_UNIT_READY).orElseThrow();
    assertEquals(SenseKey.NOT_READY, sense.key());
    assertEquals(0x041B, sense.code());
    // Each of the four writes adds 16,384 to the progress.
    assertEquals(0, sense.progress().orElseThrow() % 16384);
    for (String cdb :
        new String[] {
          "28 00 00000000 00 0001 00",
          "2a 00 00000000 00 0001 00",
          "1b 00 00 00 01 00",
          "48 02 0000000000 0000 00",
          "25",
        }) {
      device.run(cdb, new byte[512]).check(2, 0x041B);
    }
    // A write that passed the readiness check before SANITIZE started is refused, too.
    String late = "2a 00 00000000 00 0001 00";
    FakeTask task = device.task(late, new byte[512]);
    new Device.Result(device.entry(late).command().run(task), task).check(2, 0x041B);
    for (int opcode : new int[] {0x03, 0x12, 0xA0}) {
      assertTrue(device.device.notReady(opcode).isEmpty());
    }
    device.device.reset();
    assertTrue(device.device.notReady(TEST_UNIT_READY).isPresent());
    go.countDown();
    await(() -> device.device.notReady(TEST_UNIT_READY).isEmpty());
    assertArrayEquals(repeated((byte) 5), medium.bytes());
    device.run(late, new byte[512]).good();
  }

  @Test
  void goesOnWhenTheCommandIsAborted() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    medium.halfway = () -> awaitUninterruptibly(go);
    FakeTask task = device.task("48 01 0000000000 0005 00", list(1, 1, (byte) 6));
    Thread aborter =
        Thread.ofVirtual()
            .start(() -> {
              await(() -> device.device.notReady(TEST_UNIT_READY).isPresent());
              task.abort(false);
            });
    assertThrows(TaskAbortedException.class, () -> device.run(task));
    aborter.join();
    go.countDown();
    await(() -> device.device.notReady(TEST_UNIT_READY).isEmpty());
    assertArrayEquals(repeated((byte) 6), medium.bytes());
  }

  @Test
  void staysFailedUntilItIsSanitizedAgain() throws IOException {
    medium.broken = new IOException("a bad sector");
    device.run("48 02 0000000000 0000 00").check(3, 0x3103);
    medium.broken = null;
    device.run("28 00 00000000 00 0001 00").check(3, 0x3103);
    // The failed command had no AUSE bit, so the device refuses EXIT FAILURE MODE.
    device.run("48 1f 0000000000 0000 00").invalidField(1);
    device.run("48 02 0000000000 0000 00").good();
    device.run("2a 00 00000000 00 0001 00", new byte[512]).good();
  }

  @Test
  void leavesTheFailureModeWhereThatIsAllowed() throws IOException {
    medium.broken = new IOException("a bad sector");
    device.run("48 22 0000000000 0000 00").check(3, 0x3103);
    medium.broken = null;
    device.run("2a 00 00000000 00 0001 00", new byte[512]).check(3, 0x3103);
    device.run("48 1f 0000000000 0000 00").good();
    device.run("2a 00 00000000 00 0001 00", new byte[512]).good();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }
}
