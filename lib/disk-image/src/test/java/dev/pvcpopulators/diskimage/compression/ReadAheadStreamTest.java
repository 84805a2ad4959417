package dev.pvcpopulators.diskimage.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(1200)
class ReadAheadStreamTest {
  @ParameterizedTest
  @CsvSource({"2, 1", "2, 7", "4, 4096", "3, 1000000"})
  void givesTheSameBytesInOrder(int bufferCount, int bufferLength) throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    byte[] data = new byte[bufferLength < 100 ? 5000 : 2_000_003];
    random.nextBytes(data);
    InputStream upstream = new ChunkedStream(data, new Random(seed), 70_000);
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (InputStream in =
        ReadAheadStream.start(upstream, "test", () -> {}, bufferCount, bufferLength)) {
      byte[] buffer = new byte[100_000];
      int count = 0;
      while (count >= 0) {
        read.write(buffer, 0, count);
        count = in.read(buffer, 0, 1 + random.nextInt(buffer.length));
      }
      assertEquals(-1, in.read());
    }
    assertArrayEquals(data, read.toByteArray());
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "2, 7", "4, 4096", "3, 1000000"})
  void transfersTheUnreadRest(int bufferCount, int bufferLength) throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    byte[] data = new byte[bufferLength < 100 ? 5000 : 2_000_003];
    new Random(seed).nextBytes(data);
    InputStream upstream = new ChunkedStream(data, new Random(seed), 70_000);
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (InputStream in =
        ReadAheadStream.start(upstream, "test", () -> {}, bufferCount, bufferLength)) {
      read.write(in.readNBytes(1234));
      assertEquals(data.length - 1234, in.transferTo(read));
      assertEquals(0, in.transferTo(read));
      assertEquals(-1, in.read());
    }
    assertArrayEquals(data, read.toByteArray());
  }

  @Test
  void transferHandsFailuresOnBehindTheDataBeforeThem() throws IOException {
    MalformedImageException failure = new MalformedImageException("gzip member", 7, "damaged");
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (InputStream in = ReadAheadStream.start(failingAfter(100_000, failure), "test")) {
      assertSame(failure, assertThrows(MalformedImageException.class, () -> in.transferTo(read)));
    }
    assertEquals(100_000, read.size());
  }

  @Test
  void handsFailuresOnBehindTheDataBeforeThem() throws IOException {
    MalformedImageException failure = new MalformedImageException("gzip member", 7, "damaged");
    try (InputStream in = ReadAheadStream.start(failingAfter(100_000, failure), "test")) {
      assertEquals(100_000, in.readNBytes(100_000).length);
      assertSame(failure, assertThrows(MalformedImageException.class, in::read));
      assertSame(failure, assertThrows(MalformedImageException.class, in::read));
    }
    Error error = new AssertionError("a bug");
    try (InputStream in = ReadAheadStream.start(failingAfter(0, error), "test")) {
      assertSame(error, assertThrows(AssertionError.class, in::read));
    }
  }

  @Test
  void passesAvailableDataToAWaitingReader() throws IOException {
    try (PipedOutputStream writer = new PipedOutputStream();
        InputStream in = ReadAheadStream.start(new PipedInputStream(writer), "test")) {
      for (int i = 0; i < 3; i++) {
        writer.write(new byte[] {1, 2, 3});
        writer.flush();
        assertEquals(3, in.readNBytes(3).length);
      }
    }
  }

  @Test
  void readsNoFurtherAheadThanTheRing() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    CountDownLatch ringFull = new CountDownLatch(4);
    InputStream upstream =
        new InputStream() {
          @Override
          public int read() {
            return 0;
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            reads.incrementAndGet();
            ringFull.countDown();
            return length;
          }
        };
    try (InputStream in = ReadAheadStream.start(upstream, "test", () -> {}, 4, 16)) {
      ringFull.await();
      assertEquals(16, in.readNBytes(16).length);
    }
    assertTrue(reads.get() <= 5, "reads: " + reads);
  }

  @Test
  void closeEndsAThreadThatWaitsForRoomOrForData() throws IOException {
    PipedOutputStream writer = new PipedOutputStream();
    InputStream waiting = ReadAheadStream.start(new PipedInputStream(writer), "waits-for-data");
    waiting.close();
    assertGone("waits-for-data");
    writer.close();
    InputStream full =
        ReadAheadStream.start(
            new ByteArrayInputStream(new byte[1000]), "waits-for-room", () -> {}, 2, 10);
    assertEquals(0, full.read());
    full.close();
    assertGone("waits-for-room");
    assertThrows(IOException.class, full::read);
  }

  @Test
  void closeEndsAChainOfStages() throws IOException {
    PipedOutputStream writer = new PipedOutputStream();
    InputStream first = ReadAheadStream.start(new PipedInputStream(writer), "stage-1");
    InputStream second = ReadAheadStream.start(first, "stage-2");
    InputStream third = ReadAheadStream.start(second, "stage-3");
    third.close();
    assertGone("stage-1");
    assertGone("stage-2");
    assertGone("stage-3");
    writer.close();
  }

  @Test
  void closeUnblocksASocketByTheGivenAction() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket accepted = server.accept()) {
      InputStream in = ReadAheadStream.start(accepted.getInputStream(), "socket", accepted);
      client.getOutputStream().write(1);
      assertEquals(1, in.read());
      in.close();
      assertGone("socket");
    }
  }

  @Test
  void closeFromAnotherThreadEndsAReader() throws Exception {
    PipedOutputStream writer = new PipedOutputStream();
    ReadAheadStream in = ReadAheadStream.start(new PipedInputStream(writer), "read-by-another");
    FutureTask<IOException> reader =
        new FutureTask<>(() -> assertThrows(IOException.class, in::read));
    Thread.ofPlatform().start(reader);
    in.close();
    assertTrue(reader.get().getMessage() != null);
    writer.close();
  }

  @Test
  void closesTheStreamBeneathOnItsOwnThread() throws IOException {
    AtomicReference<String> closedBy = new AtomicReference<>();
    InputStream upstream =
        new ByteArrayInputStream(new byte[10]) {
          @Override
          public void close() {
            closedBy.set(Thread.currentThread().getName());
          }
        };
    try (InputStream in = ReadAheadStream.start(upstream, "owner")) {
      in.readAllBytes();
    }
    assertEquals("owner", closedBy.get());
  }

  private static void assertGone(String thread) {
    assertFalse(
        Thread.getAllStackTraces().keySet().stream()
            .anyMatch(t -> t.getName().equals(thread) && t.isAlive()));
  }

  private static InputStream failingAfter(int length, Throwable failure) {
    return new InputStream() {
      private int left = length;

      @Override
      public int read() {
        throw new UnsupportedOperationException();
      }

      @Override
      public int read(byte[] target, int offset, int count) throws IOException {
        if (left == 0) {
          if (failure instanceof Error error) {
            throw error;
          }
          throw (IOException) failure;
        }
        int given = Math.min(left, count);
        left -= given;
        return given;
      }
    };
  }
}
