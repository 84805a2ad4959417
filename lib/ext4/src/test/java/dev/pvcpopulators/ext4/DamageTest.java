package dev.pvcpopulators.ext4;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("tools")
class DamageTest {
  private static final int SIZE = 16 << 20;
  private static final int ROUNDS = 250;

  private static MemoryDevice disk() throws IOException {
    MemoryDevice disk = MemoryDevice.ofSize(SIZE);
    Ext4.format(disk, new Geometry(SIZE));
    Layer.applyUnchecked(
        disk,
        layer -> {
          layer.file("d/e/f", "content").file("d/g", new String(new char[20_000])).link("l", "d/e");
          layer.link("long", "y/".repeat(40)).hardLink("d/h", "d/e/f");
          try (FileContent file = layer.edit().file(Layer.path("holes"), Layer.PLAIN, 1 << 20)) {
            for (int i = 0; i < 20; i++) {
              file.write(ByteBuffer.wrap(new byte[] {1}));
              file.skip(10_000);
            }
          }
          layer.whiteout("nothing");
        });
    return disk;
  }

  @Test
  void damageIsReportedWithoutOtherEffects() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    MemoryDevice good = disk();
    int[] used =
        IntStream.range(0, SIZE).filter(i -> good.bytes()[i] != 0 && !padding(i)).toArray();
    int told = 0;
    for (int round = 0; round < ROUNDS; round++) {
      MemoryDevice bad = good.copy();
      for (int i = random.nextInt(3); i >= 0; i--) {
        int at = used[random.nextInt(used.length)];
        int value = random.nextInt(4);
        bad.bytes()[at] =
            (byte) (value == 0 ? random.nextInt(256) : value == 1 ? 0 : value == 2 ? 1 : 255);
      }
      try {
        use(bad);
      } catch (IOException e) {
        told++;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("Seed " + seed + ", round " + round, e);
      }
    }
    assertTrue(told > ROUNDS / 4, "told: " + told);
  }

  /// Returns true if a byte is in the padding of a bitmap. The block bitmap has 4,096 bits and the
  /// inode bitmap has 1,024 bits.
  private static boolean padding(int at) {
    int block = at / BlockDevice.BLOCK_SIZE;
    int bit = at % BlockDevice.BLOCK_SIZE * Byte.SIZE;
    return (block == 2 && bit >= 4096) || (block == 3 && bit >= 1024);
  }

  private static void use(MemoryDevice disk) throws IOException {
    TreeReader reader = TreeReader.open(disk);
    IOException first = null;
    for (String path : new String[] {"d/e/f", "l/f", "long", "holes", "d/g"}) {
      try {
        assertTrue(reader.file(Layer.path(path), SIZE).map(c -> c.length <= SIZE).orElse(true));
      } catch (IOException e) {
        first = e;
      }
    }
    Layer.applyUnchecked(
        disk,
        layer ->
            layer
                .file("l/new", "x".repeat(9000))
                .hardLink("d/i", "d/h")
                .file("d/h", "2")
                .directory("d/new")
                .whiteout("d/g")
                .opaque("/"));
    if (first != null) {
      throw first;
    }
  }

  @Test
  void reportsCyclesOfDirectories() throws IOException {
    MemoryDevice disk = MemoryDevice.ofSize(SIZE);
    Ext4.format(disk, new Geometry(SIZE));
    Layer.applyUnchecked(disk, layer -> layer.directory("a/b/c"));
    // Adds an entry for directory `a`, which has inode 11, to directory `c`.
    int block = indexOf(disk, new byte[] {11, 0, 0, 0, 12, 0, 1, 2, '.'});
    int c = indexOf(disk, new byte[] {13, 0, 0, 0, 12, 0, 1, 2, '.'});
    assertTrue(block > 0 && c > 0);
    byte[] entry = {11, 0, 0, 0, (byte) 0xe8, 0x0f, 1, 2, 'a'};
    disk.bytes()[c + 16] = 12;
    disk.bytes()[c + 17] = 0;
    System.arraycopy(entry, 0, disk.bytes(), c + 24, entry.length);
    DamagedFileSystemException e =
        assertThrows(
            DamagedFileSystemException.class,
            () -> Layer.applyUnchecked(disk, layer -> layer.whiteout("a")));
    assertTrue(e.toString().contains("has another .."), e.toString());
  }

  private static int indexOf(MemoryDevice disk, byte[] wanted) {
    for (int at = 0; at < disk.bytes().length; at += BlockDevice.BLOCK_SIZE) {
      if (ByteBuffer.wrap(disk.bytes(), at, wanted.length).equals(ByteBuffer.wrap(wanted))) {
        return at;
      }
    }
    return -1;
  }

  @Test
  void otherFileSystemsAreRefused() throws IOException {
    MemoryDevice zeros = MemoryDevice.ofSize(SIZE);
    assertThrows(DamagedFileSystemException.class, () -> LayerEdit.open(zeros));
    assertThrows(
        DamagedFileSystemException.class, () -> TreeReader.open(MemoryDevice.ofSize(8 << 20)));
    MemoryDevice disk = disk();
    DamagedFileSystemException e =
        assertThrows(
            DamagedFileSystemException.class,
            () -> TreeReader.open(new MemoryDevice(Arrays.copyOf(disk.bytes(), 17 << 20))));
    assertEquals("superblock in block 0: blocks: expected 4352, found 4096", e.getMessage());
  }

  @Test
  void readerReadsFiles() throws IOException {
    TreeReader reader = TreeReader.open(disk());
    assertEquals("content", text(reader, "l/f"));
    assertEquals("content", text(reader, "d/h"));
    assertEquals(20_000, text(reader, "d/g").length());
    byte[] holes = reader.file(Layer.path("holes"), 1 << 20).orElseThrow();
    for (int i = 0; i < holes.length; i++) {
      assertEquals(i % 10_001 == 0 && i < 20 * 10_001 ? 1 : 0, holes[i]);
    }
    assertTrue(reader.file(Layer.path("d"), 10).isEmpty());
    assertTrue(reader.file(Layer.path("d/g/x"), 10).isEmpty());
    assertTrue(reader.file(Layer.path("none"), 10).isEmpty());
    assertThrows(FileSystemException.class, () -> reader.file(Layer.path("d/g"), 19_999));
    TreeReader.Usage usage = reader.usage();
    // The used inodes are 10 reserved inodes, including the root, and the inodes of 7 entries: d,
    // d/e, d/e/f, d/g, l, long, holes.
    assertEquals(10 + 7, usage.inodes());
    assertEquals(1024, usage.inodeCount());
    assertEquals(4096, usage.blockCount());
  }

  private static String text(TreeReader reader, String path) throws IOException {
    return new String(reader.file(Layer.path(path), 1 << 20).orElseThrow(), UTF_8);
  }
}
