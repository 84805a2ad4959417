package dev.pvcpopulators.httpupload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kit.connection.BodyArrays;
import dev.pvcpopulators.volume.Failure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(1200)
class UploadBodyTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int MIB = 1 << 20;

  private final Object connection = new Object();
  private final UploadBody body = new UploadBody(LONG);
  private final AtomicInteger resumed = new AtomicInteger();

  UploadBodyTest() {
    body.attach(connection);
  }

  private boolean append(byte[] bytes) {
    return body.append(connection, ByteBuffer.wrap(bytes), resumed::incrementAndGet);
  }

  @Test
  void handsChunksOnFromWhereReadingStopped() throws IOException {
    byte[] first = {1, 2, 3, 4, 5};
    // The bytes of a chunk may be a part of a larger array. A chunk that is a direct buffer has no
    // array.
    ByteBuffer windowed = ByteBuffer.wrap(new byte[] {0, 6, 7, 0}, 1, 2).slice();
    ByteBuffer direct = ByteBuffer.allocateDirect(2).put((byte) 8).put((byte) 9).flip();
    append(first);
    body.append(connection, windowed, resumed::incrementAndGet);
    body.append(connection, direct, resumed::incrementAndGet);
    body.complete();
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    read.write(body.readNBytes(2));
    assertEquals(7, body.transferTo(read));
    assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, read.toByteArray());
    assertEquals(0, body.transferTo(read));
    assertEquals(-1, body.read());
  }

  @Test
  void givesArraysBackAfterTheirLastByte() throws IOException {
    BodyArrays.clear();
    byte[] first = BodyArrays.take();
    byte[] second = BodyArrays.take();
    append(first);
    append(second);
    body.complete();
    byte[] target = new byte[BodyArrays.LENGTH - 1];
    assertEquals(target.length, body.read(target));
    assertNotSame(first, BodyArrays.take());
    assertEquals(0, body.read());
    assertSame(first, BodyArrays.take());
    assertEquals(BodyArrays.LENGTH, body.transferTo(OutputStream.nullOutputStream()));
    assertSame(second, BodyArrays.take());
    BodyArrays.clear();
  }

  @Test
  void returnsDataOfSeveralConnectionsInOrder() throws IOException, InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] whole = new byte[20 * MIB + 17];
    random.nextBytes(whole);
    Thread writer =
        Thread.ofVirtual()
            .start(() -> {
              int position = 0;
              while (position < whole.length) {
                Object mine = new Object();
                assertEquals(position, body.attach(mine));
                for (int chunks = random.nextInt(20); chunks >= 0; chunks--) {
                  int length = Math.min(random.nextInt(300_000), whole.length - position);
                  Semaphore room = new Semaphore(0);
                  if (body.append(mine, ByteBuffer.wrap(whole, position, length), room::release)) {
                    room.acquireUninterruptibly();
                  }
                  position += length;
                }
              }
              body.complete();
            });
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    byte[] buffer = new byte[100_000];
    int count;
    while ((count = body.read(buffer, 0, 1 + random.nextInt(buffer.length))) > 0) {
      read.write(buffer, 0, count);
    }
    writer.join();
    assertArrayEquals(whole, read.toByteArray(), "seed " + seed);
    assertEquals(whole.length, body.received());
  }

  @Test
  void pausesAboveTheHighWaterMarkAndResumesBelowTheLowOne() throws IOException {
    int chunk = (int) (UploadBody.HIGH_WATER / 4 - UploadBody.CHUNK_COST);
    for (int i = 0; i < 4; i++) {
      assertFalse(append(new byte[chunk]), "up to the mark, chunk " + i);
    }
    assertTrue(append(new byte[1]), "one byte above it");
    for (int i = 0; i < 3; i++) {
      assertEquals(chunk, body.readNBytes(chunk).length);
    }
    assertEquals(0, resumed.get(), "a quarter and a byte are above the low mark still");
    assertEquals(chunk, body.readNBytes(chunk).length);
    assertEquals(1, resumed.get());
    assertEquals(1, body.readNBytes(1).length);
    assertEquals(1, resumed.get(), "once is enough");
  }

  @Test
  void countsTheMemoryOfSingleByteChunks() {
    long most = UploadBody.HIGH_WATER / (1 + UploadBody.CHUNK_COST);
    for (long i = 0; i < most; i++) {
      assertFalse(append(new byte[1]));
    }
    assertTrue(append(new byte[1]));
    assertEquals(most + 1, body.received());
  }

  @Test
  void letsANewConnectionWaitWhileTheQueueIsFull() throws IOException {
    assertTrue(append(new byte[5 * MIB]));
    Object next = new Object();
    assertEquals(5 * MIB, body.attach(next));
    assertTrue(body.full(next, resumed::incrementAndGet));
    assertEquals(1, body.readNBytes(1).length);
    assertEquals(1, resumed.get(), "the new one alone goes on");
    assertFalse(body.full(next, resumed::incrementAndGet));
  }

  @Test
  void takesNothingFromAConnectionThatAnotherHasReplaced() {
    assertFalse(append(new byte[3]));
    Object next = new Object();
    assertEquals(3, body.attach(next));
    assertFalse(append(new byte[5 * MIB]));
    assertEquals(3, body.received());
    assertFalse(body.full(connection, resumed::incrementAndGet));
  }

  @Test
  void endsForTheReaderWhenComplete() throws IOException {
    append(new byte[] {1, 2});
    body.complete();
    assertEquals(1, body.read());
    assertEquals(2, body.read());
    assertEquals(-1, body.read());
    assertEquals(-1, body.read(new byte[4], 0, 4));
  }

  @Test
  void endsWithTheFirstReasonAndLetsThePausedConnectionGo() {
    assertTrue(append(new byte[5 * MIB]));
    IOException first = new IOException("first");
    body.abort(first);
    body.abort(new IOException("second"));
    assertEquals(1, resumed.get());
    assertTrue(body.aborted());
    assertSame(first, assertThrows(IOException.class, body::read));
    assertFalse(append(new byte[5 * MIB]), "what comes now is dropped");
    assertEquals(5 * MIB, body.received());
  }

  @Test
  void endsAReaderThatWaitsWhenAborted() throws Exception {
    IOException reason = new IOException("reason");
    FutureTask<Integer> reading = new FutureTask<>(body::read);
    Thread reader = Thread.ofVirtual().start(reading);
    body.abort(reason);
    assertTrue(reader.join(Duration.ofMinutes(10)));
    assertSame(reason, reading.exceptionNow());
  }

  @Test
  void failsIfNotResumedWithinTheWindow() {
    UploadBody impatient = new UploadBody(Duration.ofMillis(1));
    UploadEndedException ended = assertThrows(UploadEndedException.class, impatient::read);
    assertTrue(ended.failure() instanceof Failure.SourceUnavailable, ended.toString());
    assertFalse(ended.replaced());
    assertTrue(impatient.aborted());
  }

  @Test
  void returnsAvailableDataWithoutWaiting() throws IOException {
    UploadBody impatient = new UploadBody(Duration.ZERO);
    impatient.attach(connection);
    impatient.append(connection, ByteBuffer.wrap(new byte[] {7}), () -> {});
    assertEquals(7, impatient.read());
    assertThrows(UploadEndedException.class, impatient::read);
  }

  @Test
  void wakesAReaderThatIsInterrupted() throws Exception {
    FutureTask<Integer> reading = new FutureTask<>(body::read);
    Thread reader = Thread.ofPlatform().start(reading);
    reader.interrupt();
    reader.join(TimeUnit.MINUTES.toMillis(5));
    assertTrue(reading.exceptionNow() instanceof InterruptedIOException);
  }
}
