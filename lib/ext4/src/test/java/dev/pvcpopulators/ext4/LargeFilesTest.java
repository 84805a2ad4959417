package dev.pvcpopulators.ext4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("tools")
class LargeFilesTest {
  private static final int BLOCK = BlockDevice.BLOCK_SIZE;
  private static final long MIB = 1L << 20;

  /// The number of free blocks in an empty file system of 16 MiB: all blocks except the metadata
  /// and the root directory.
  private static final int BLOCKS_OF_16_MIB = 4096 - 2 - 2 - 64 - 1;

  @TempDir Path home;

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static void write(Layer layer, String path, byte[] content, int step) throws IOException {
    try (FileContent file = layer.edit().file(Layer.path(path), Layer.PLAIN, content.length)) {
      for (int at = 0; at < content.length; at += step) {
        file.write(ByteBuffer.wrap(content, at, Math.min(step, content.length - at)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 340, 1360, 1361})
  void fragmentedFilesAreComplete(int extents) throws IOException {
    byte[] content = random(extents * BLOCK - 17, extents);
    Path expected = Files.write(home.resolve("expected"), content);
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 48 * MIB)) {
      byte[] small = random(100, 1);
      Layer.applyUnchecked(
          disk,
          layer -> {
            // Creates files `hole…` and `kept…` alternately. The second layer frees the blocks of
            // `hole…`; the blocks of `kept…` between them stay in use.
            for (int i = 0; i < extents; i++) {
              layer.file("d/hole" + i, small, Layer.PLAIN).file("d/kept" + i, small, Layer.PLAIN);
            }
          });
      Layer.applyUnchecked(
          disk,
          layer -> {
            for (int i = 0; i < extents; i++) {
              layer.whiteout("d/hole" + i);
            }
          });
      Layer.apply(disk, layer -> write(layer, "big", content, 100_000));
      disk.mounted("cmp big \"$1\"", expected.toString());
      String blocks = Command.run("debugfs", "-R", "extents /big", disk.path().toString());
      long leaves = blocks.lines().filter(line -> line.matches(" *(\\d+)/ *\\1 .*")).count();
      assertEquals(extents, leaves, blocks);
      Layer.apply(disk, layer -> layer.file("big", "").whiteout("d"));
      assertEquals("11 1\n", disk.mounted("echo $(( $(stat -f -c '%c - %d' .) )) $(ls | wc -l)"));
    }
  }

  @Test
  void sparseFileBeyondFourGibibytesTakesItsDataOnly() throws IOException {
    long length = (5L << 30) + 123;
    byte[] data = random(10_000, 2);
    Path expected = Files.write(home.resolve("expected"), data);
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 16 * MIB)) {
      Layer.apply(
          disk,
          layer -> {
            try (FileContent file =
                layer.edit().file(Layer.path("f"), Layer.PLAIN, length, 30_000)) {
              file.write(ByteBuffer.wrap(data));
              file.skip(1);
              file.skip(9_999);
              file.write(ByteBuffer.wrap(data));
              file.skip((4L << 30) + 5 - 30_000);
              file.write(ByteBuffer.wrap(data));
            }
            layer.edit().file(Layer.path("hole"), Layer.PLAIN, 1L << 40, 0).close();
          });
      disk.mounted(
          "for at in 0 20000 4294967301; do cmp -n 10000 -i $at:0 f \"$1\"; done;"
              + " cmp -n 10000 -i 10000:0 f /dev/zero; cmp -n 1000 -i 4294966301:0 f /dev/zero;"
              + " tail -c 20000 f | cmp -n 20000 - /dev/zero; test $(stat -c %s f) = 5368709243",
          expected.toString());
      // The three writes need 3, 4 and 3 blocks of 8 sectors each. The second write, bytes 20,000
      // to 29,999, touches 4 blocks.
      assertEquals("80 0\n", disk.mounted("echo $(stat -c %b f hole)"));
      assertThrows(
          FileSystemFullException.class,
          () ->
              Layer.applyUnchecked(
                  disk, layer -> layer.edit().file(Layer.path("g"), Layer.PLAIN, length)));
    }
  }

  @Test
  void impossibleLengthsAreRefusedAtOnce() throws IOException {
    long most = 0xffff_ffffL * BLOCK;
    MemoryDevice disk = MemoryDevice.ofSize(16 << 20);
    Ext4.format(disk, new Geometry(16 * MIB));
    for (long length : new long[] {most + 1, Long.MAX_VALUE}) {
      try (LayerEdit edit = LayerEdit.open(disk)) {
        assertThrows(
            UnrepresentableException.class, () -> edit.file(Layer.path("f"), Layer.PLAIN, length));
      }
    }
    try (LayerEdit edit = LayerEdit.open(disk)) {
      FileSystemFullException e =
          assertThrows(
              FileSystemFullException.class, () -> edit.file(Layer.path("f"), Layer.PLAIN, most));
      assertTrue(e.required() > most && e.size() == 16 * MIB, e.getMessage());
      edit.file(Layer.path("f"), Layer.PLAIN, most, 0).close();
    }
  }

  @Test
  void fullToTheLastBlock() throws IOException {
    byte[] all = random(BLOCKS_OF_16_MIB * BLOCK, 3);
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 16 * MIB)) {
      Layer.apply(disk, layer -> write(layer, "f", all, all.length));
      Layer.apply(disk, layer -> layer.file("empty", "").link("l", "x"));
      for (Layer.Content more :
          new Layer.Content[] {
            layer -> layer.file("g", "1"),
            layer -> layer.directory("d"),
            layer -> layer.link("m", "x".repeat(60))
          }) {
        FileSystemFullException e =
            assertThrows(FileSystemFullException.class, () -> Layer.applyUnchecked(disk, more));
        assertEquals(17 * MIB, e.required(), e.getMessage());
      }
      Layer.apply(disk, layer -> layer.file("f", "less").file("g", "1"));
    }
  }

  @Test
  void fullToTheLastInode() throws IOException {
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 16 * MIB)) {
      Layer.apply(
          disk,
          layer -> {
            for (int i = 0; i < 1024 - 10; i++) {
              layer.file("f" + i, "");
            }
          });
      FileSystemFullException e =
          assertThrows(
              FileSystemFullException.class,
              () -> Layer.applyUnchecked(disk, layer -> layer.file("more", "")));
      assertEquals(
          "/more: No inode is free: the file system has 16777216 bytes and needs 17825792",
          e.getMessage());
      Layer.apply(disk, layer -> layer.file("f7", "again").hardLink("more", "f8"));
    }
  }

  @Test
  void sizeThatAFailureNamesSuffices() throws IOException {
    for (int megabytes : new int[] {16, 100, 125, 126, 127, 128, 129, 300}) {
      MemoryDevice disk = MemoryDevice.ofSize(16 << 20);
      Ext4.format(disk, new Geometry(16 * MIB));
      long length = megabytes * MIB + 5;
      FileSystemFullException e =
          assertThrows(
              FileSystemFullException.class,
              () ->
                  Layer.applyUnchecked(
                      disk, layer -> layer.edit().file(Layer.path("f"), Layer.PLAIN, length)));
      for (long size : new long[] {e.required() - MIB, e.required()}) {
        try (DiskFile larger = DiskFile.formatted(home.resolve("d" + megabytes + size), size)) {
          boolean fits = size == e.required();
          if (fits) {
            Layer.applyUnchecked(
                larger, layer -> layer.edit().file(Layer.path("f"), Layer.PLAIN, length).close());
          } else if (size >= Geometry.MIN_SIZE) {
            assertThrows(
                FileSystemFullException.class,
                () ->
                    Layer.applyUnchecked(
                        larger,
                        layer -> layer.edit().file(Layer.path("f"), Layer.PLAIN, length).close()));
          }
        }
      }
    }
  }
}
