package dev.pvcpopulators.iscsitarget.block;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.block.ArrayMedium.Call;
import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// Tests COMPARE AND WRITE, ORWRITE and WRITE ATOMIC.
class IndivisibleTest {
  private static final int BLOCKS = 1024;
  private static final String LAST_TWO = "00000000000003fe";

  private final ArrayMedium medium = new ArrayMedium(BLOCKS * 512);
  private final Device device = new Device(medium, BlockOptions.disk());

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private static String compareAndWrite(int lba, int count) {
    return "89 00 %016x 000000 %02x 00 00".formatted(lba, count);
  }

  @Test
  void writesTheExpectedFiles() throws IOException {
    byte[] data = join(new byte[1024], filled(1024, 7));
    Device.Result result = device.run("89 00" + LAST_TWO + "000000 02 00 00", data).good();
    assertEquals(2048, result.task().declared());
    assertArrayEquals(filled(1024, 7), Arrays.copyOfRange(medium.bytes(), 1022 * 512, 1024 * 512));
    assertArrayEquals(new byte[1022 * 512], Arrays.copyOf(medium.bytes(), 1022 * 512));
    assertEquals(0, medium.count("flush"));
  }

  @Test
  void reportsTheFirstDifference() throws IOException {
    for (int at : new int[] {0, 1, 511, 512, 1023}) {
      byte[] data = join(new byte[1024], filled(1024, 7));
      data[at] = 1;
      FakeTask task = device.task(compareAndWrite(0, 2), data).inPieces(most -> 100);
      assertEquals(at, device.run(task).check(0xE, 0x1D00).information().orElseThrow());
    }
    assertArrayEquals(new byte[BLOCKS * 512], medium.bytes());
  }

  @Test
  void boundsTheComparison() throws IOException {
    byte[] data = join(new byte[128 * 512], filled(128 * 512, 7));
    device.run(compareAndWrite(0, 128), data).good();
    assertArrayEquals(filled(128 * 512, 7), Arrays.copyOf(medium.bytes(), 128 * 512));
    device.run(compareAndWrite(0, 129), new byte[258 * 512]).invalidField(13);
    device.run(compareAndWrite(0, 255), new byte[510 * 512]).invalidField(13);
    assertEquals(0, device.run(compareAndWrite(1024, 0)).good().task().declared());
    device.run(compareAndWrite(0, 0), new byte[1]).invalidField(13);
    device.run(compareAndWrite(1025, 0)).outOfRange();
    device.run(compareAndWrite(1023, 2), new byte[2048]).outOfRange();
    device.run("89 00 ffffffffffffffff 000000 01 00 00", new byte[1024]).outOfRange();
    device.run("89 20 0000000000000000 000000 01 00 00", new byte[1024]).invalidField(1);
  }

  @Test
  void comparesNothingWithHalfOfTheData() throws IOException {
    for (int length : new int[] {0, 512, 1023}) {
      device.run(compareAndWrite(0, 1), filled(length, 0)).invalidField(13);
    }
    assertEquals(0, medium.count("write"));
  }

  @Test
  void makesItStableWhereThatIsAskedFor() throws IOException {
    byte[] same = new byte[1024];
    device.run("89 08 0000000000000000 000000 01 00 00", same).good();
    device.run("8b 08 0000000000000000 00000001 00 00", same).good();
    device.run("9c 08 0000000000000000 0000 0001 00 00", same).good();
    assertEquals(3, medium.count("flush"));
    device.device.writeCache(false);
    device.run("89 00 0000000000000000 000000 01 00 00", same).good();
    device.run("8b 00 0000000000000000 00000001 00 00", same).good();
    device.run("9c 00 0000000000000000 0000 0001 00 00", same).good();
    assertEquals(6, medium.count("flush"));
    same[3] = 1;
    device.run("89 00 0000000000000000 000000 01 00 00", same).check(0xE, 0x1D00);
    assertEquals(6, medium.count("flush"));
  }

  @Test
  void waitsForThePagesAroundWhatItCompares() {
    medium.arrival = new CompletableFuture<>();
    for (String cdb :
        new String[] {compareAndWrite(9, 8), "8b 00 0000000000000009 00000008 00 00"}) {
      medium.calls.clear();
      assertSame(
          medium.arrival, device.entry(cdb).command().arrival(ByteBuffer.wrap(Device.cdb(cdb))));
      assertEquals(List.of(new Call("READ", 4096, 8192)), medium.calls);
    }
  }

  @Test
  void sumsTheCountersOfAllInitiators() throws Exception {
    int threads = 4;
    int each = 50;
    medium.halfway = () -> LockSupport.parkNanos(1000);
    runAll(
        threads,
        () -> {
          for (int done = 0; done < each; ) {
            byte[] seen = device.run("28 00 00000000 00 0001 00").good().dataIn();
            byte[] next = seen.clone();
            ByteBuffer.wrap(next).putInt(508, ByteBuffer.wrap(next).getInt(508) + 1);
            Response response = device.run(compareAndWrite(0, 1), join(seen, next)).response();
            if (response.status() == Status.GOOD) {
              done++;
            }
          }
        });
    assertEquals(threads * each, ByteBuffer.wrap(medium.bytes()).getInt(508));
  }

  @Test
  void losesNoBitThatManyInitiatorsSet() throws Exception {
    int threads = 4;
    medium.halfway = () -> LockSupport.parkNanos(1000);
    AtomicInteger thread = new AtomicInteger();
    runAll(
        threads,
        () -> {
          int mine = thread.getAndIncrement();
          for (int bit = mine; bit < 8 * 2048; bit += threads * 32) {
            byte[] data = new byte[2048];
            data[bit / 8] |= (byte) (1 << bit % 8);
            device.run("8b 00 0000000000000004 00000004 00 00", data).good();
          }
        });
    byte[] expected = new byte[2048];
    for (int bit = 0; bit < 8 * 2048; bit++) {
      if (bit % (threads * 32) < threads) {
        expected[bit / 8] |= (byte) (1 << bit % 8);
      }
    }
    assertArrayEquals(expected, Arrays.copyOfRange(medium.bytes(), 2048, 4096));
  }

  @Test
  void combinesMoreThanItsBufferHolds() throws IOException {
    Random random = new Random(8);
    random.nextBytes(medium.bytes());
    byte[] data = new byte[700 * 512];
    random.nextBytes(data);
    byte[] expected = medium.bytes().clone();
    for (int i = 0; i < data.length; i++) {
      expected[3 * 512 + i] |= data[i];
    }
    FakeTask task =
        device.task("8b 00 0000000000000003 000002bc 00 00", data).inPieces(most -> 100_001);
    device.run(task).good();
    assertArrayEquals(expected, medium.bytes());
    device.run("8b 00 00000000000003ff 00000002 00 00", new byte[1024]).outOfRange();
    device.run("8b 00 0000000000000000 00010001 00 00").invalidField(10);
    device.run("8b 40 0000000000000000 00000001 00 00", new byte[512]).invalidField(1);
    device.run("8b 00 0000000000000400 00000000 00 00").good();
  }

  @Test
  void boundsAtomicWrites() throws IOException {
    byte[] data = filled(256 * 512, 9);
    FakeTask task =
        device.task("9c 00 0000000000000300 0000 0100 00 00", data).inPieces(most -> 1001);
    device.run(task).good();
    assertArrayEquals(data, Arrays.copyOfRange(medium.bytes(), 768 * 512, 1024 * 512));
    assertEquals(List.of(new Call("write", 768 * 512, 256 * 512)), medium.calls);
    device.run("9c 00 0000000000000000 0000 0101 00 00", new byte[257 * 512]).invalidField(12);
    device.run("9c 00 0000000000000000 0008 0008 00 00", new byte[4096]).invalidField(10);
    device.run("9c 80 0000000000000000 0000 0001 00 00", new byte[512]).invalidField(1);
    device.run("9c 00 0000000000000301 0000 0100 00 00", data).outOfRange();
    device.run("9c 00 0000000000000300 0000 0200 00 00", new byte[512 * 512]).outOfRange();
    device.run("9c 00 0000000000000400 0000 0000 00 00").good();
    device.run("9c 00 0000000000000401 0000 0000 00 00").outOfRange();
  }

  @Test
  void showsReadersAllOfAnAtomicWriteOrNothing() throws Exception {
    medium.halfway = () -> LockSupport.parkNanos(1000);
    String write = "9c 00 0000000000000000 0000 0008 00 00";
    device.run(write, filled(4096, 1)).good();
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger thread = new AtomicInteger();
    runAll(
        4,
        () -> {
          if (thread.getAndIncrement() == 0) {
            for (int i = 2; i < 120; i++) {
              device.run(write, filled(4096, i)).good();
            }
            done.set(true);
            return;
          }
          while (!done.get()) {
            byte[] seen = device.run("28 00 00000000 00 0008 00").good().dataIn();
            assertArrayEquals(filled(4096, seen[0]), seen);
          }
        });
  }

  @Test
  void keepsLittleForSilentConnections() throws IOException {
    // While each write waits for its data, the next write starts.
    assertEquals(32, nest(0));
    // The tasks of the first call released their memory, so the second call has the same result.
    assertEquals(32, nest(0));
  }

  /// Starts nested atomic writes of 128 KiB.
  ///
  /// @return the number of started writes before the first BUSY
  private int nest(int depth) throws IOException {
    assertTrue(depth < 1000);
    int[] reached = {depth};
    AtomicBoolean first = new AtomicBoolean(true);
    FakeTask task =
        device
            .task("9c 00 0000000000000000 0000 0100 00 00", new byte[256 * 512])
            .whenReceiving(() -> {
              if (first.getAndSet(false)) {
                try {
                  reached[0] = nest(depth + 1);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            });
    Device.Result result = device.run(task);
    if (!first.get()) {
      result.good();
    } else {
      assertEquals(Response.BUSY, result.response());
    }
    return reached[0];
  }

  private interface Work {
    void run() throws Exception;
  }

  private static void runAll(int threads, Work work) throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        tasks.add(() -> {
          work.run();
          return null;
        });
      }
      for (Future<Void> future : executor.invokeAll(tasks)) {
        future.get();
      }
    }
  }
}
