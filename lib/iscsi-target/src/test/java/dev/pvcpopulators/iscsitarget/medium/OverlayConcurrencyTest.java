package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.fail;

import dev.pvcpopulators.iscsitarget.overlay.CopyMode;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests an overlay that several threads write, read and clone at the same time. Reads copy blocks
/// of the base to the overlay. No write may be lost, and no data of the base may overwrite a write.
class OverlayConcurrencyTest {
  private static final int SECTOR = 512;
  private static final int SECTORS = 2048 * 8;
  private static final int WRITERS = 4;
  private static final byte BASE = 99;

  @TempDir Path directory;

  private Medium base() throws IOException {
    byte[] disk = new byte[SECTORS * SECTOR];
    Arrays.fill(disk, BASE);
    Path file = directory.resolve("base.img");
    Files.write(file, disk);
    return FileMedium.open(file, false);
  }

  private OverlayMedium overlay(Medium base) throws IOException {
    return OverlayMedium.open(
        base, "base", DiskFiles.in(directory, "overlay"), CopyMode.COPY_ON_READ);
  }

  private static ByteBuffer filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return ByteBuffer.wrap(bytes);
  }

  private static void runAll(List<Callable<Void>> tasks) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
      for (Future<Void> result : threads.invokeAll(tasks)) {
        result.get();
      }
    }
  }

  private static Callable<Void> reader(OverlayMedium overlay, long seed) {
    return () -> {
      Random random = new Random(seed);
      ByteBuffer bytes = ByteBuffer.allocateDirect(64 * SECTOR);
      for (int i = 0; i < 1000; i++) {
        overlay.read((long) random.nextInt(SECTORS - 64) * SECTOR, bytes.clear());
      }
      return null;
    };
  }

  private static Callable<Void> cloner(OverlayMedium overlay) {
    return () -> {
      overlay.cloneRest((_, _) -> {});
      return null;
    };
  }

  /// Adjacent sectors belong to different writers, so that several writers write to each block.
  @Test
  void partsOfOneBlockAreAllThere() throws Exception {
    long seed = new Random().nextLong();
    try (Medium base = base();
        OverlayMedium overlay = overlay(base)) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int w = 0; w < WRITERS; w++) {
        int writer = w;
        tasks.add(() -> {
          List<Integer> sectors = new ArrayList<>();
          for (int sector = writer; sector < SECTORS; sector += WRITERS) {
            sectors.add(sector);
          }
          // Keeps a nearly ascending order, so that the writers and the clone use the same blocks
          // at the same time.
          Collections.shuffle(sectors.subList(0, 200), new Random(seed + writer));
          for (int sector : sectors) {
            overlay.write((long) sector * SECTOR, filled(SECTOR, 1 + writer));
          }
          return null;
        });
      }
      tasks.add(reader(overlay, seed));
      tasks.add(cloner(overlay));
      runAll(tasks);
      ByteBuffer all = ByteBuffer.allocate(SECTORS * SECTOR);
      overlay.read(0, all);
      for (int at = 0; at < all.capacity(); at++) {
        int writer = at / SECTOR % WRITERS;
        if (all.get(at) != 1 + writer) {
          fail("seed " + seed + ", byte " + at + " is " + all.get(at));
        }
      }
    }
  }

  @Test
  void overlappingWritesLeaveOneOfThem() throws Exception {
    long seed = new Random().nextLong();
    AtomicIntegerArray written = new AtomicIntegerArray(SECTORS);
    try (Medium base = base();
        OverlayMedium overlay = overlay(base)) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int w = 0; w < WRITERS; w++) {
        int writer = w;
        tasks.add(() -> {
          Random random = new Random(seed + writer);
          for (int i = 0; i < 1500; i++) {
            int count = 1 + random.nextInt(24);
            int first = random.nextInt(SECTORS / 4 - count);
            overlay.write((long) first * SECTOR, filled(count * SECTOR, 1 + writer));
            for (int sector = first; sector < first + count; sector++) {
              written.set(sector, 1);
            }
          }
          return null;
        });
      }
      tasks.add(reader(overlay, seed));
      tasks.add(cloner(overlay));
      runAll(tasks);
      ByteBuffer all = ByteBuffer.allocate(SECTORS * SECTOR);
      overlay.read(0, all);
      for (int at = 0; at < all.capacity(); at++) {
        byte value = all.get(at);
        boolean possible =
            written.get(at / SECTOR) == 0 ? value == BASE : value >= 1 && value <= WRITERS;
        if (!possible || value != all.get(at / SECTOR * SECTOR)) {
          fail("seed " + seed + ", byte " + at + " is " + value);
        }
      }
    }
  }
}
