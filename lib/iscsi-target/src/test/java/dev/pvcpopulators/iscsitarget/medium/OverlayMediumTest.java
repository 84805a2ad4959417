package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import dev.pvcpopulators.iscsitarget.overlay.CopyMode;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OverlayMediumTest implements MediumContract {
  private static final int BLOCK = 4096;
  private static final String IDENTITY = "sha256:abcd";

  @TempDir Path directory;
  private DiskFiles files;
  private final List<Medium> bases = new ArrayList<>();

  @BeforeEach
  void name() {
    files = DiskFiles.in(directory, "overlay");
  }

  @Override
  public Medium zeros(Path directory, long length) throws IOException {
    Path file = directory.resolve("zeros.img");
    Files.write(file, new byte[(int) length]);
    Medium base = FileMedium.open(file, false);
    bases.add(base);
    DiskFiles own = DiskFiles.in(directory, "overlay");
    return OverlayMedium.open(base, IDENTITY, own, CopyMode.COPY_ON_READ);
  }

  @AfterEach
  void closeBases() throws IOException {
    for (Medium base : bases) {
      base.close();
    }
  }

  private static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(Medium medium, long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(length);
    medium.read(offset, bytes);
    byte[] copy = new byte[length];
    bytes.flip().get(copy);
    return copy;
  }

  private Medium base(byte[] disk) throws IOException {
    Path file = directory.resolve("base.img");
    Files.write(file, disk);
    return FileMedium.open(file, false);
  }

  private OverlayMedium overlay(Medium base, CopyMode mode) throws IOException {
    return OverlayMedium.open(base, IDENTITY, files, mode);
  }

  @Test
  void onlyBlocksOfTheBaseDoNotChange() throws IOException {
    byte[] disk = bytes(4 * BLOCK, 3);
    try (Medium base = base(disk);
        OverlayMedium overlay = overlay(base, CopyMode.COPY_ON_WRITE)) {
      assertSame(base.unchangingFile(0, 1), overlay.unchangingFile(0, disk.length));
      overlay.write(2 * BLOCK, ByteBuffer.wrap(disk, 0, 1));
      assertNotNull(overlay.unchangingFile(0, 2 * BLOCK));
      assertNull(overlay.unchangingFile(0, 2 * BLOCK + 1));
      assertNull(overlay.unchangingFile(3 * BLOCK - 1, 1));
      assertNotNull(overlay.unchangingFile(3 * BLOCK, BLOCK));
    }
  }

  @Test
  void copyOnReadNeedsTheBytes() throws IOException {
    try (Medium base = base(bytes(BLOCK, 4));
        OverlayMedium overlay = overlay(base, CopyMode.COPY_ON_READ)) {
      assertNull(overlay.unchangingFile(0, BLOCK));
    }
  }

  /// Compares the overlay with an array after random operations, and sometimes reopens the overlay.
  @ParameterizedTest
  @EnumSource
  void readsTheLastWrite(CopyMode mode) throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] model = bytes(300 * BLOCK + 512, seed);
    Arrays.fill(model, 100 * BLOCK, 150 * BLOCK, (byte) 0);
    byte[] original = model.clone();
    try (Medium base = base(model)) {
      OverlayMedium overlay = overlay(base, mode);
      for (int step = 0; step < 3000; step++) {
        String where = "seed %d, step %d".formatted(seed, step);
        int granularity = random.nextBoolean() ? 512 : random.nextBoolean() ? BLOCK : 1;
        int from = random.nextInt(model.length) / granularity * granularity;
        int most = Math.min(model.length - from, random.nextBoolean() ? 3 * BLOCK : 70 * BLOCK);
        int length = Math.min(most, Math.ceilDiv(random.nextInt(most), granularity) * granularity);
        switch (random.nextInt(11)) {
          case 0, 1, 2, 3 -> {
            byte[] data = bytes(length, random.nextLong());
            overlay.write(from, ByteBuffer.wrap(data));
            System.arraycopy(data, 0, model, from, length);
          }
          case 4 -> {
            overlay.zero(from, length);
            Arrays.fill(model, from, from + length, (byte) 0);
          }
          case 5 -> {
            overlay.deallocate(from, length);
            Arrays.fill(model, from, from + length, (byte) 0);
          }
          case 6 -> checkExtent(overlay, model, from, where);
          case 7 -> {
            if (random.nextInt(20) == 0) {
              overlay.close();
              overlay = overlay(base, mode);
            }
          }
          case 8 -> {
            if (random.nextInt(20) == 0) {
              overlay.flush();
            }
          }
          default ->
              assertArrayEquals(
                  Arrays.copyOfRange(model, from, from + length),
                  read(overlay, from, length),
                  where);
        }
      }
      assertArrayEquals(model, read(overlay, 0, model.length), "seed " + seed);
      overlay.close();
      assertArrayEquals(original, read(base, 0, model.length), "seed " + seed);
    }
  }

  private static void checkExtent(Medium medium, byte[] model, int offset, String where)
      throws IOException {
    Medium.Extent extent = medium.extent(offset);
    assertTrue(extent.length() >= 1 && extent.length() <= model.length - offset, where);
    if (!extent.mapped()) {
      int end = offset + (int) extent.length();
      assertArrayEquals(new byte[end - offset], Arrays.copyOfRange(model, offset, end), where);
    }
  }

  @Test
  void copiesUnwrittenBlocksOnRead() throws IOException {
    byte[] disk = bytes(8 * BLOCK, 3);
    try (Medium base = base(disk);
        OverlayMedium overlay = overlay(base, CopyMode.COPY_ON_READ)) {
      overlay.write(2 * BLOCK, ByteBuffer.wrap(bytes(BLOCK, 4)));
      byte[] before = read(overlay, 100, 4 * BLOCK);
      // The read covers only a part of the first block, so the overlay does not keep this block.
      assertEquals(3 * BLOCK, overlay.ownBytes());
      assertArrayEquals(before, read(overlay, 100, 4 * BLOCK));
    }
  }

  @Test
  void onlyBlocksWrittenInPartWaitForTheBase() throws IOException {
    byte[] disk = bytes(8 * BLOCK, 5);
    DiskFiles baseFiles = DiskFiles.in(directory, "base");
    try (ArrivingMedium base =
            ArrivingMedium.create(baseFiles, disk.length, IDENTITY, FarReads.NONE, Long.MAX_VALUE);
        OverlayMedium overlay = overlay(base, CopyMode.COPY_ON_WRITE)) {
      assertNull(overlay.arrival(BLOCK, BLOCK, Access.WRITE));
      byte[] written = bytes(BLOCK, 6);
      overlay.write(BLOCK, ByteBuffer.wrap(written));
      assertNull(overlay.arrival(BLOCK, BLOCK, Access.READ));
      assertArrayEquals(written, read(overlay, BLOCK, BLOCK));

      CompletableFuture<Void> both = overlay.arrival(2 * BLOCK - 512, 2 * BLOCK, Access.WRITE);
      assertNotNull(both);
      assertThrows(
          NotArrivedException.class,
          () -> overlay.write(2 * BLOCK - 512, ByteBuffer.allocate(2 * BLOCK)));
      // The write needs only block 3 of the base: the overlay has block 1, and the write covers the
      // whole of block 2.
      base.arriveZeros(2 * BLOCK, BLOCK);
      assertFalse(both.isDone());
      base.arrive(3 * BLOCK, ByteBuffer.wrap(disk, 3 * BLOCK, BLOCK));
      assertTrue(both.isDone());
      overlay.write(2 * BLOCK - 512, ByteBuffer.allocate(2 * BLOCK));
      assertArrayEquals(
          Arrays.copyOfRange(disk, 4 * BLOCK - 512, 4 * BLOCK),
          read(overlay, 4 * BLOCK - 512, 512));
    }
  }

  @Test
  void aReadWaitsForOnePieceOfTheBaseAfterAnother() throws IOException {
    byte[] disk = bytes(8 * BLOCK, 7);
    DiskFiles baseFiles = DiskFiles.in(directory, "base");
    try (ArrivingMedium base =
            ArrivingMedium.create(baseFiles, disk.length, IDENTITY, FarReads.NONE, Long.MAX_VALUE);
        OverlayMedium overlay = overlay(base, CopyMode.COPY_ON_WRITE)) {
      byte[] written = bytes(BLOCK, 8);
      overlay.write(2 * BLOCK, ByteBuffer.wrap(written));
      CompletableFuture<Void> all = overlay.arrival(0, 5 * BLOCK, Access.READ);
      CompletableFuture<Void> givenUp = overlay.arrival(0, 5 * BLOCK, Access.READ);
      assertNotNull(all);
      assertNotNull(givenUp);
      assertEquals(2, base.waiting());
      assertTrue(givenUp.cancel(false));
      assertEquals(1, base.waiting());
      base.arrive(0, ByteBuffer.wrap(disk, 0, 2 * BLOCK));
      assertFalse(all.isDone());
      assertEquals(1, base.waiting());
      // The overlay does not need block 2 of the base, so this block never arrives.
      base.arrive(3 * BLOCK, ByteBuffer.wrap(disk, 3 * BLOCK, 5 * BLOCK));
      assertTrue(all.isDone());
      System.arraycopy(written, 0, disk, 2 * BLOCK, BLOCK);
      assertArrayEquals(disk, read(overlay, 0, disk.length));

      CompletableFuture<Void> failing = overlay.arrival(0, 1, Access.READ);
      assertNull(failing);
    }
  }

  @Test
  void failsIfItsBaseFails() throws IOException {
    DiskFiles baseFiles = DiskFiles.in(directory, "base");
    try (ArrivingMedium base =
            ArrivingMedium.create(baseFiles, 8 * BLOCK, IDENTITY, FarReads.NONE, Long.MAX_VALUE);
        OverlayMedium overlay = overlay(base, CopyMode.COPY_ON_WRITE)) {
      CompletableFuture<Void> waiting = overlay.arrival(0, BLOCK, Access.READ);
      assertNotNull(waiting);
      base.fail(new IOException("gone"));
      assertEquals("gone", waiting.exceptionNow().getMessage());
      overlay.write(0, ByteBuffer.allocate(BLOCK));
      assertArrayEquals(new byte[BLOCK], read(overlay, 0, BLOCK));
      assertThrows(IOException.class, () -> overlay.write(BLOCK, ByteBuffer.allocate(1)));
      assertThrows(IOException.class, () -> overlay.cloneRest((_, _) -> {}));
    }
  }

  @Test
  void aCloneNeedsNoBase() throws Exception {
    byte[] disk = bytes(700 * BLOCK + 512, 9);
    Arrays.fill(disk, 300 * BLOCK, 650 * BLOCK, (byte) 0);
    DiskFiles baseFiles = DiskFiles.in(directory, "base");
    ArrivingMedium base =
        ArrivingMedium.create(baseFiles, disk.length, IDENTITY, FarReads.NONE, Long.MAX_VALUE);
    try (OverlayMedium overlay = overlay(base, CopyMode.COPY_ON_WRITE)) {
      byte[] written = bytes(9 * BLOCK, 10);
      overlay.write(400 * BLOCK + 512, ByteBuffer.wrap(written, 0, 0));
      overlay.write(20 * BLOCK, ByteBuffer.wrap(written));
      assertThrows(IllegalStateException.class, overlay::detachBase);
      CompletableFuture<Void> cloned = new CompletableFuture<>();
      Thread.startVirtualThread(() -> cloneInto(overlay, disk.length, cloned));
      for (int at = 0; at < disk.length; at += 13 * BLOCK) {
        base.arrive(at, ByteBuffer.wrap(disk, at, Math.min(13 * BLOCK, disk.length - at)));
      }
      base.complete();
      cloned.get();
      overlay.detachBase();
      assertNull(overlay.unchangingFile(0, BLOCK));
      base.close();
      System.arraycopy(written, 0, disk, 20 * BLOCK, written.length);
      assertArrayEquals(disk, read(overlay, 0, disk.length));
      assertNull(overlay.arrival(0, disk.length, Access.READ));
      assertEquals(disk.length, overlay.ownBytes());
      assertFalse(overlay.extent(300 * BLOCK).mapped());
    }
    assertTrue(OverlayMedium.openCloned(files, "another").isEmpty());
    try (OverlayMedium again = OverlayMedium.openCloned(files, IDENTITY).orElseThrow()) {
      assertArrayEquals(disk, read(again, 0, disk.length));
    }
    try (FileChannel data = FileChannel.open(files.disk(), StandardOpenOption.WRITE)) {
      data.truncate(disk.length - BLOCK);
    }
    assertThrows(MapRefusedException.class, () -> OverlayMedium.openCloned(files, IDENTITY));
  }

  private static void cloneInto(
      OverlayMedium overlay, long length, CompletableFuture<Void> cloned) {
    long[] last = new long[1];
    try {
      overlay.cloneRest((done, total) -> {
        assertEquals(length, total);
        assertTrue(done > last[0]);
        last[0] = done;
      });
      assertEquals(length, last[0]);
      cloned.complete(null);
    } catch (Throwable e) {
      cloned.completeExceptionally(e);
    }
  }

  @Test
  void closingEndsAClone() throws Exception {
    DiskFiles baseFiles = DiskFiles.in(directory, "base");
    try (ArrivingMedium base =
        ArrivingMedium.create(baseFiles, 8 * BLOCK, IDENTITY, FarReads.NONE, Long.MAX_VALUE)) {
      OverlayMedium overlay = overlay(base, CopyMode.COPY_ON_WRITE);
      CompletableFuture<Void> cloned = new CompletableFuture<>();
      Thread thread = Thread.startVirtualThread(() -> cloneInto(overlay, 8 * BLOCK, cloned));
      overlay.close();
      thread.join();
      assertTrue(cloned.isCompletedExceptionally());
      assertEquals(0, base.waiting());
      assertTrue(OverlayMedium.openCloned(files, IDENTITY).isEmpty());
    }
  }

  @Test
  void anOverlayOfAnotherBaseIsRefused() throws IOException {
    try (Medium base = base(bytes(8 * BLOCK, 11))) {
      overlay(base, CopyMode.COPY_ON_WRITE).close();
      MapRefusedException other =
          assertThrows(
              MapRefusedException.class,
              () -> OverlayMedium.open(base, "sha256:ef", files, CopyMode.COPY_ON_WRITE));
      assertTrue(String.valueOf(other.getMessage()).contains("expected one of sha256:ef"));
    }
    try (Medium longer = base(bytes(9 * BLOCK, 11))) {
      assertThrows(MapRefusedException.class, () -> overlay(longer, CopyMode.COPY_ON_WRITE));
    }
  }

  @Test
  void aDamagedMapIsRefused() throws IOException {
    try (Medium base = base(bytes(8 * BLOCK, 12))) {
      overlay(base, CopyMode.COPY_ON_WRITE).close();
      byte[] map = Files.readAllBytes(files.map());
      for (int at = 0; at < 512; at += 5) {
        byte[] damaged = map.clone();
        damaged[at] ^= 0x10;
        Files.write(files.map(), damaged);
        assertThrows(
            MapRefusedException.class, () -> overlay(base, CopyMode.COPY_ON_WRITE), "at " + at);
      }
      for (int length : new int[] {0, 511, map.length - 1, map.length + 1}) {
        Files.write(files.map(), Arrays.copyOf(map, length));
        assertThrows(MapRefusedException.class, () -> overlay(base, CopyMode.COPY_ON_WRITE));
      }
      Files.write(files.map(), map);
      Files.delete(files.disk());
      assertThrows(IOException.class, () -> overlay(base, CopyMode.COPY_ON_WRITE));
    }
  }

  /// A process with write access to the directory replaces a file by a link to another file.
  @Test
  void aLinkInPlaceOfOurFilesIsNotFollowed() throws IOException {
    try (Medium base = base(bytes(8 * BLOCK, 14))) {
      overlay(base, CopyMode.COPY_ON_WRITE).close();
      for (Path file : List.of(files.disk(), files.map())) {
        // The link leads to a valid file of the overlay, so only the link itself is wrong.
        Path elsewhere = Files.move(file, directory.resolve("elsewhere"));
        Files.createSymbolicLink(file, elsewhere);
        assertThrows(IOException.class, () -> overlay(base, CopyMode.COPY_ON_WRITE).close());
        Files.delete(file);
        Files.move(elsewhere, file);
      }
      overlay(base, CopyMode.COPY_ON_WRITE).close();
    }
  }

  @Test
  void oneOverlayIsOpenedOnce() throws IOException {
    try (Medium base = base(bytes(8 * BLOCK, 13));
        OverlayMedium first = overlay(base, CopyMode.COPY_ON_WRITE)) {
      assertTrue(first.writable());
      assertThrows(IOException.class, () -> overlay(base, CopyMode.COPY_ON_WRITE));
    }
  }
}
