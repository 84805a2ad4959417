package dev.pvcpopulators.iscsitarget.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests that an aborted command changes no block after [BlockDevice#changesEnded].
class AbortedChangeTest {
  private static final int BLOCK = 512;
  private static final String WRITE_10 = "2a 00 00000000 00 0001 00";

  private final ArrayMedium medium = new ArrayMedium(64 * BLOCK);
  private final Device device = new Device(medium, BlockOptions.disk());

  private static byte[] sevens(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 7);
    return bytes;
  }

  private long changes() {
    return medium.count("write") + medium.count("zero") + medium.count("deallocate");
  }

  /// Aborts a command while the command receives its data.
  private void abortedWithItsData(String cdb, byte[] dataOut) {
    FakeTask task = device.task(cdb, dataOut);
    task.inPieces(most -> {
      task.abort(false);
      return most;
    });
    assertThrows(TaskAbortedException.class, () -> device.run(task));
    assertEquals(0, changes());
  }

  @ParameterizedTest
  @CsvSource({
    "WRITE, 2a 00 00000000 00 0001 00",
    "WRITE AND VERIFY, 2e 00 00000000 00 0001 00",
    "WRITE SAME, 41 00 00000000 00 0010 00",
    "WRITE SAME with UNMAP, 41 08 00000000 00 0010 00",
    "ORWRITE, 8b 00 0000000000000000 00000001 00 00",
    "WRITE ATOMIC, 9c 00 0000000000000000 0000 0001 00 00"
  })
  void aCommandThatIsAbortedWithItsDataChangesNothing(String name, String cdb) {
    abortedWithItsData(cdb, sevens(BLOCK));
  }

  @Test
  void compareAndWriteThatIsAbortedWithItsDataChangesNothing() {
    byte[] both = sevens(2 * BLOCK);
    Arrays.fill(both, 0, BLOCK, (byte) 0);
    abortedWithItsData("89 00 0000000000000000 000000 01 00 00", both);
  }

  @Test
  void unmapThatIsAbortedWithItsDataChangesNothing() {
    abortedWithItsData(
        "42 00 00000000 00 0018 00",
        HexFormat.of().parseHex("001600100000000000000000000000000000000100000000"));
  }

  @Test
  void sanitizeThatIsAbortedWithItsDataDoesNotStart() {
    abortedWithItsData("48 81 00000000 00 0005 00", HexFormat.of().parseHex("0100000107"));
    assertEquals(Optional.empty(), device.device.notReady(0));
  }

  @Test
  void thereIsNothingToWaitForWithoutAChange() {
    assertTrue(device.device.changesEnded().isDone());
  }

  @Test
  void waitsForTheWriteOfAnAbortedCommand() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    medium.halfway =
        () -> {
          writing.countDown();
          try {
            goesOn.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    FakeTask task = device.task(WRITE_10, sevens(BLOCK));
    try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
      Future<?> write = executor.submit(() -> device.run(task));
      writing.await();
      task.abort(false);
      CompletableFuture<Void> ended = device.device.changesEnded();
      boolean early = ended.isDone();
      goesOn.countDown();
      ended.join();
      assertFalse(early);
      assertEquals(7, medium.bytes()[BLOCK - 1], "the write has ended");
      write.get();
    }
    assertTrue(device.device.changesEnded().isDone());
  }
}
