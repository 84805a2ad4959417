package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import dev.pvcpopulators.iscsitarget.medium.Medium.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the contract of every writable medium.
interface MediumContract {
  /// Creates a writable medium that contains only zeros. The test closes the medium.
  ///
  /// @param directory an empty directory
  /// @param length in bytes, a multiple of 512
  Medium zeros(Path directory, long length) throws IOException;

  @Test
  default void isAllZerosAtFirst(@TempDir Path directory) throws IOException {
    int length = 3 * 4096 + 512;
    try (Medium medium = zeros(directory, length)) {
      assertEquals(length, medium.length());
      assertTrue(medium.writable());
      assertNull(medium.arrival(0, length, Access.READ));
      assertNull(medium.arrival(0, length, Access.WRITE));
      assertArrayEquals(new byte[length], bytes(medium, 0, length));
    }
  }

  @Test
  default void keepsWhatIsWrittenAtItsFirstAndLastByte(@TempDir Path directory) throws IOException {
    int length = 2 * 4096 + 512;
    try (Medium medium = zeros(directory, length)) {
      medium.write(0, ByteBuffer.wrap(new byte[] {1}));
      medium.write(length - 1, ByteBuffer.wrap(new byte[] {2}));
      byte[] expected = new byte[length];
      expected[0] = 1;
      expected[length - 1] = 2;
      assertArrayEquals(expected, bytes(medium, 0, length));
    }
  }

  @Test
  default void refusesWhatLiesOutside(@TempDir Path directory) throws IOException {
    int length = 4096;
    try (Medium medium = zeros(directory, length)) {
      ByteBuffer two = ByteBuffer.allocate(2);
      assertThrows(IndexOutOfBoundsException.class, () -> medium.read(length - 1, two));
      assertThrows(IndexOutOfBoundsException.class, () -> medium.write(length - 1, two));
      assertThrows(IndexOutOfBoundsException.class, () -> medium.zero(length - 1, 2));
      assertThrows(IndexOutOfBoundsException.class, () -> medium.deallocate(length - 1, 2));
      assertThrows(IndexOutOfBoundsException.class, () -> medium.extent(length));
      assertThrows(IndexOutOfBoundsException.class, () -> medium.read(-1, two));
      assertArrayEquals(new byte[length], bytes(medium, 0, length));
    }
  }

  @Test
  default void agreesWithAModel(@TempDir Path directory) throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int length = 40 * 4096 + 512;
    byte[] model = new byte[length];
    try (Medium medium = zeros(directory, length)) {
      for (int i = 0; i < 600; i++) {
        step(medium, model, random);
        if (i % 50 == 49) {
          medium.flush();
          assertArrayEquals(model, bytes(medium, 0, length), "seed " + seed + ", step " + i);
          checkExtents(medium, model, "seed " + seed + ", step " + i);
        }
      }
    }
  }

  private static void step(Medium medium, byte[] model, Random random) throws IOException {
    int offset = random.nextInt(model.length);
    int count = Math.min(random.nextInt(3 * 4096) + 1, model.length - offset);
    if (random.nextBoolean()) {
      offset = offset / 512 * 512;
      count = Math.min(Math.ceilDiv(count, 512) * 512, model.length - offset);
    }
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        byte[] data = new byte[count];
        random.nextBytes(data);
        System.arraycopy(data, 0, model, offset, count);
        ByteBuffer from = ByteBuffer.wrap(data);
        if (random.nextBoolean()) {
          from = ByteBuffer.allocateDirect(count).put(data).flip();
        }
        medium.write(offset, from);
        assertEquals(0, from.remaining());
      }
      case 2 -> {
        medium.zero(offset, count);
        Arrays.fill(model, offset, offset + count, (byte) 0);
      }
      case 3 -> {
        medium.deallocate(offset, count);
        Arrays.fill(model, offset, offset + count, (byte) 0);
      }
      default ->
          assertArrayEquals(
              Arrays.copyOfRange(model, offset, offset + count), bytes(medium, offset, count));
    }
  }

  private static void checkExtents(Medium medium, byte[] model, String when) throws IOException {
    for (long at = 0; at < model.length; ) {
      Extent extent = medium.extent(at);
      assertTrue(extent.length() >= 1 && at + extent.length() <= model.length, when);
      if (!extent.mapped()) {
        byte[] part = Arrays.copyOfRange(model, (int) at, (int) (at + extent.length()));
        assertArrayEquals(new byte[part.length], part, when);
      }
      at += extent.length();
    }
  }

  @Test
  default void keepsWhatSeveralThreadsWriteSideBySide(@TempDir Path directory) throws Exception {
    int threads = 4;
    int each = 64 * 512;
    try (Medium medium = zeros(directory, (long) threads * each);
        ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int index = thread;
        tasks.add(() -> {
          // Interleaves the sectors of the threads, so that all threads write to the same blocks.
          for (int sector = 0; sector < each / 512; sector++) {
            byte[] data = new byte[512];
            Arrays.fill(data, (byte) (index + 1));
            medium.write(((long) sector * threads + index) * 512, ByteBuffer.wrap(data));
          }
          return null;
        });
      }
      for (Future<Void> done : executor.invokeAll(tasks)) {
        done.get();
      }
      byte[] all = bytes(medium, 0, threads * each);
      for (int i = 0; i < all.length; i++) {
        assertEquals(i / 512 % threads + 1, all[i], "byte " + i);
      }
    }
  }

  /// Returns the bytes of a range.
  static byte[] bytes(Medium medium, long offset, int length) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(length);
    medium.read(offset, into);
    assertEquals(0, into.remaining());
    return into.array();
  }
}
