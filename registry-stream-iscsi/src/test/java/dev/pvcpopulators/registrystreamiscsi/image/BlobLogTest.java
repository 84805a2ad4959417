package dev.pvcpopulators.registrystreamiscsi.image;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BlobLogTest {
  @TempDir Path work;

  private Path file() {
    return work.resolve("log");
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(BlobLog log) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (ByteBuffer data = log.next(); data.hasRemaining(); data = log.next()) {
      byte[] frame = new byte[data.remaining()];
      data.get(frame);
      all.write(frame);
    }
    return all.toByteArray();
  }

  private byte[] logged() throws IOException {
    try (BlobLog log = BlobLog.open(file())) {
      return read(log);
    }
  }

  private void append(byte[] bytes, boolean flush) throws IOException {
    try (BlobLog log = BlobLog.open(file())) {
      var _ = read(log);
      for (int at = 0; at < bytes.length; at += 10_000) {
        var _ = log.append(bytes, at, Math.min(10_000, bytes.length - at));
      }
      if (flush) {
        log.flush();
      }
    }
  }

  @Test
  void returnsAppendedBytes() throws IOException {
    assertEquals(0, logged().length);
    byte[] bytes = bytes(3 * BlobLog.FRAME + 17);
    append(bytes, true);
    assertArrayEquals(bytes, logged());
    append(bytes(5), true);
    assertArrayEquals(bytes(5), Arrays.copyOfRange(logged(), bytes.length, bytes.length + 5));
  }

  @Test
  void losesAtMostOneFrameWithoutAFlush() throws IOException {
    byte[] bytes = bytes(3 * BlobLog.FRAME - 1);
    append(bytes, false);
    assertArrayEquals(Arrays.copyOf(bytes, 2 * BlobLog.FRAME), logged());
  }

  /// After a power loss, a file may have its full length without its data.
  @Test
  void endsBeforeTheFirstDamagedFrame() throws IOException {
    byte[] bytes = bytes(3 * BlobLog.FRAME);
    append(bytes, true);
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(4096), BlobLog.FRAME + 5000);
    }
    assertArrayEquals(Arrays.copyOf(bytes, BlobLog.FRAME), logged());
    append(bytes(99), true);
    assertEquals(BlobLog.FRAME + 99, logged().length);
  }

  @Test
  void endsBeforeAShortenedFrame() throws IOException {
    append(bytes(BlobLog.FRAME + 100), true);
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() - 1);
    }
    assertEquals(BlobLog.FRAME, logged().length);
    Files.write(file(), new byte[] {0, 0, 0});
    assertEquals(0, logged().length);
  }
}
