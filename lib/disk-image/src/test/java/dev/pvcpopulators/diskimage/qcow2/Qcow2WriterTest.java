package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer.Options;
import dev.pvcpopulators.diskimage.volume.MountedFileSystem;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.linux.SystemCallException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the qcow2 writer. QEMU checks and reads the written files.
class Qcow2WriterTest {
  private static final int BLOCK = 4096;
  private static final int MIB = 1 << 20;
  private static final long GIB = 1L << 30;

  @TempDir private Path directory = Path.of("");

  private static byte[] text(String word, int length) {
    byte[] bytes = new byte[length];
    byte[] pattern = (word + " ").getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < length; i++) {
      bytes[i] = pattern[i % pattern.length];
    }
    return bytes;
  }

  private static byte[] noise(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  @Tag("tools")
  void aLayerOfEightScatteredClustersIsSmall() throws Exception {
    try (WrittenDisk disk = new WrittenDisk(directory, 10 * GIB)) {
      disk.layer(
          12,
          false,
          layer -> {
            for (int i = 0; i < 4; i++) {
              layer.write((long) i * BLOCK, text("first", BLOCK));
            }
            for (int i = 1; i <= 4; i++) {
              layer.write(i * GIB, text("more", BLOCK));
            }
          });
      assertEquals(26 * BLOCK, Files.size(disk.top()));
    }
  }

  @Test
  @Tag("tools")
  void aStackOfThreeEqualsRawFiles() throws Exception {
    long seed = 11;
    Random random = new Random(seed);
    try (WrittenDisk disk = new WrittenDisk(directory, 64 * MIB)) {
      for (int bits : new int[] {12, 12, 16}) {
        disk.layer(
            bits,
            false,
            layer -> {
              for (int i = 0; i < 60; i++) {
                int length = 1 + random.nextInt(i % 5 == 0 ? 2 * MIB : 3 * BLOCK);
                long at = random.nextInt(64 * MIB - length);
                if (i % 3 == 0) {
                  at &= -BLOCK;
                }
                byte[] bytes = noise(random, length);
                if (i % 4 == 1) {
                  Arrays.fill(bytes, (byte) 0);
                }
                if (i % 2 == 0) {
                  layer.write(at, bytes);
                } else {
                  layer.writeDirect(at, bytes);
                }
                layer.requireReadable(at, length);
              }
            });
        disk.requireReadable();
      }
      assertTrue(
          Qemu.img("info", "-f", "qcow2", disk.top())
              .output()
              .contains("backing file format: qcow2"));
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  @Test
  @Tag("tools")
  void compressedClustersShareHostClusters() throws Exception {
    for (int bits : new int[] {9, 12, 16, 20}) {
      int seed = 12 + bits;
      Random random = new Random(seed);
      int size = 1 << bits;
      long length = Math.min(20L * MIB, 200L * size);
      try (WrittenDisk disk =
          new WrittenDisk(Files.createDirectory(directory.resolve("bits" + bits)), length)) {
        for (boolean compression : new boolean[] {true, true, false}) {
          disk.layer(
              bits,
              compression,
              layer -> {
                for (int i = 0; i < (bits == 20 ? 30 : 80); i++) {
                  long at = random.nextLong(length / size) * size;
                  byte[] bytes = text("cluster " + i, size);
                  if (i % 3 == 0) {
                    // Makes a part of the cluster incompressible, so that compressed clusters have
                    // different lengths.
                    byte[] noise = noise(random, random.nextInt(size));
                    System.arraycopy(noise, 0, bytes, 0, noise.length);
                  }
                  if (i % 10 == 9) {
                    bytes = noise(random, size);
                  } else if (i % 10 == 8) {
                    bytes = new byte[size];
                  }
                  int begin = i % 7 == 6 ? random.nextInt(size) : 0;
                  layer.write(at + begin, Arrays.copyOfRange(bytes, begin, size));
                  layer.requireReadable(at, size);
                }
              });
          String check = Qemu.img("check", "--output=json", disk.top()).output();
          assertEquals(compression, check.contains("compressed-clusters"), check);
          disk.requireReadable();
        }
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @Test
  @Tag("tools")
  void disksOfAnySize() throws Exception {
    Map<Long, Integer> sizes =
        Map.of(1L * MIB, 12, 1L * MIB + 512, 16, 5L * 512, 9, 10 * GIB, 16, 100 * GIB, 12);
    for (Map.Entry<Long, Integer> size : sizes.entrySet()) {
      long length = size.getKey();
      try (WrittenDisk disk =
          new WrittenDisk(Files.createDirectory(directory.resolve("size" + length)), length)) {
        disk.layer(
            size.getValue(),
            false,
            layer -> layer.write(0, text("begin", 512)).write(length - 512, text("end", 512)));
        disk.layer(
            size.getValue(),
            true,
            layer -> layer.write(length - 1000, text("the end", 1000)).zeros(0, 300));
        try (Qcow2Chain chain = Qcow2Chain.open(disk.files(), length)) {
          ByteBuffer end = ByteBuffer.allocate(1000);
          chain.read(length - 1000, end);
          assertArrayEquals(text("the end", 1000), end.array());
        }
      }
    }
  }

  @Test
  @Tag("tools")
  void theLargestDisks() throws Exception {
    for (int bits : new int[] {12, 16}) {
      long size = bits == 12 ? Options.maxVirtualSize(bits) : 16 * 1024 * GIB;
      Path file = directory.resolve("large" + bits);
      try (Qcow2Chain none = Qcow2Chain.open(List.of(), size);
          Qcow2Writer writer =
              Qcow2Writer.create(file, new Options(size, bits, Optional.empty(), false), none)) {
        writer.write(size - MIB, ByteBuffer.wrap(text("x", MIB)));
        writer.finish();
      }
      Qemu.img("check", file).ok();
      Qemu.io(file, List.of("read -P 0 0 1M", "read -P 0 %d 1M".formatted(size - 2 * MIB)));
      try (Qcow2Chain chain = Qcow2Chain.open(List.of(file), size)) {
        // One call of `zeros` does not read all tables, so this loop repeats the call.
        long zeros = 0;
        while (chain.zeros(zeros) > 0) {
          zeros += chain.zeros(zeros);
        }
        assertEquals(size - MIB, zeros);
      }
    }
  }

  @Test
  void limitsOfTheOptions() {
    long most = Options.maxVirtualSize(12);
    assertEquals(8 * 1024 * GIB, most);
    assertEquals(most, new Options(most, 12, Optional.empty(), false).virtualSize());
    for (long size : new long[] {0, -512, 511, most + 512}) {
      assertThrows(
          IllegalArgumentException.class, () -> new Options(size, 12, Optional.empty(), false));
    }
    for (int bits : new int[] {8, 22}) {
      assertThrows(
          IllegalArgumentException.class, () -> new Options(MIB, bits, Optional.empty(), false));
    }
    for (String name : List.of("", "a".repeat(1024), "sha256:abc", "nbd:x/y", "a\0b")) {
      assertThrows(
          IllegalArgumentException.class, () -> new Options(MIB, 12, Optional.of(name), false));
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> new Options(MIB, 9, Optional.of("a".repeat(400)), false));
    for (String name : List.of("a".repeat(1023), "./sha256:abc", "../é.qcow2")) {
      assertEquals(Optional.of(name), new Options(MIB, 12, Optional.of(name), false).backingName());
    }
  }

  @Test
  @Tag("tools")
  void theLongestBackingName() throws Exception {
    Path deep = directory;
    StringBuilder name = new StringBuilder();
    while (name.length() < 1000) {
      deep = deep.resolve("d".repeat(99));
      name.append("d".repeat(99)).append('/');
    }
    Files.createDirectories(deep);
    Path base = deep.resolve("b".repeat(23));
    name.append(base.getFileName());
    try (Qcow2Chain none = Qcow2Chain.open(List.of(), MIB);
        Qcow2Writer writer =
            Qcow2Writer.create(base, new Options(MIB, 12, Optional.empty(), false), none)) {
      writer.write(0, ByteBuffer.wrap(text("base", BLOCK)));
      writer.finish();
    }
    Path top = directory.resolve("top.qcow2");
    Options options = new Options(MIB, 12, Optional.of(name.toString()), false);
    try (Qcow2Chain chain = Qcow2Chain.open(List.of(base), MIB);
        Qcow2Writer writer = Qcow2Writer.create(top, options, chain)) {
      writer.finish();
    }
    assertEquals(1023, name.length());
    assertTrue(Qemu.img("info", top).ok().output().contains("file format: qcow2"));
    Path raw = directory.resolve("top.raw");
    Qemu.img("convert", "-O", "raw", top, raw).ok();
    assertArrayEquals(text("base", BLOCK), Arrays.copyOf(Files.readAllBytes(raw), BLOCK));
    try (Qcow2Chain chain = Qcow2Chain.open(List.of(base, top), MIB)) {
      assertEquals(0, chain.zeros(0));
    }
  }

  @Test
  @Tag("tools")
  void clustersThatAreWrittenAgainKeepTheirPlace() throws Exception {
    try (WrittenDisk disk = new WrittenDisk(directory, 64 * MIB)) {
      disk.layer(
          12,
          false,
          layer -> {
            layer.write(0, text("old", 3 * MIB));
            long length = layer.writer().length();
            // Rewrites clusters that are in the file and clusters that are still in memory.
            layer.write(BLOCK, text("new", BLOCK)).writeDirect(2 * BLOCK, text("newer", BLOCK));
            layer.write(BLOCK, text("newest", 2 * MIB)).write(3 * MIB - BLOCK, text("x", BLOCK));
            layer.writeDirect(100, text("part", 2 * MIB)).write(2 * MIB - 7, text("y", 9));
            assertEquals(length, layer.writer().length());
            layer.requireReadable(0, 4 * MIB);
          });
      disk.requireReadable();
    }
  }

  @Test
  @Tag("tools")
  void zerosAreNothingWhereThereAreZerosBelow() throws Exception {
    try (WrittenDisk disk = new WrittenDisk(directory, 64 * MIB)) {
      disk.layer(12, false, layer -> layer.zeros(0, 4 * MIB).zeros(5 * MIB, 77));
      // The file has four clusters: the header, the L1 table, the refcount table and a refcount
      // block.
      assertEquals(4 * BLOCK, Files.size(disk.top()));
      disk.layer(12, false, layer -> layer.write(MIB, text("data", 8 * BLOCK)));
      disk.layer(12, false, layer -> layer.zeros(MIB - BLOCK, 4 * BLOCK));
      // The fifth cluster is an L2 table.
      assertEquals(5 * BLOCK, Files.size(disk.top()));
      disk.layer(
          12,
          false,
          layer -> {
            layer.write(MIB, text("again", 2 * BLOCK)).zeros(MIB, BLOCK);
            layer.requireReadable(MIB - BLOCK, 8 * BLOCK);
            layer.zeros(2 * MIB, BLOCK).write(2 * MIB, text("more", BLOCK)).zeros(2 * MIB, 4096);
            layer.write(2 * MIB, text("and more", 100));
          });
      assertEquals(9 * BLOCK, Files.size(disk.top()));
      // The zero cluster at 1 MiB keeps its host cluster.
      String map = Qemu.img("map", "--output=json", "-f", "qcow2", disk.top()).ok().output();
      assertTrue(
          map.contains(
              "\"start\": 1048576, \"length\": 4096, \"depth\": 0, \"present\": true,"
                  + " \"zero\": true, \"data\": false"),
          map);
      disk.requireReadable();
      try (Qcow2Chain chain = Qcow2Chain.open(disk.files(), 64 * MIB)) {
        assertEquals(BLOCK, chain.zeros(MIB));
        assertEquals(0, chain.zeros(MIB + BLOCK));
      }
    }
  }

  @Test
  @Tag("tools")
  void moreTablesThanMemoryHolds() throws Exception {
    long seed = 13;
    Random random = new Random(seed);
    int regions = 2500;
    try (WrittenDisk disk = new WrittenDisk(directory, 10 * GIB)) {
      for (boolean compression : new boolean[] {false, true}) {
        disk.layer(
            12,
            compression,
            layer -> {
              for (int i = 0; i < regions; i++) {
                layer.write((i * 1009L % 5120) * 2 * MIB, text("region " + i, BLOCK));
              }
              for (int i = 0; i < 300; i++) {
                long at = random.nextInt(5120) * 2L * MIB + (long) BLOCK * random.nextInt(3);
                layer.requireReadable(at, BLOCK).write(at, noise(random, BLOCK));
              }
            });
      }
      disk.layer(16, false, layer -> layer.write(5 * GIB + 5, text("top", MIB)));
      int data = 0;
      try (Qcow2Chain chain = Qcow2Chain.open(disk.files(), 10 * GIB)) {
        long at = 0;
        while (at < 10 * GIB) {
          long zeros = chain.zeros(at);
          if (zeros == 0) {
            data++;
          }
          at += Math.max(zeros, BLOCK);
        }
      }
      assertTrue(data > regions, "blocks of data: " + data);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  @Test
  @Tag("tools")
  void sameCallsSameBytes() throws Exception {
    List<byte[]> files = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      Random random = new Random(14);
      Path home = Files.createDirectory(directory.resolve("round" + round));
      try (WrittenDisk disk = new WrittenDisk(home, 256 * MIB)) {
        for (boolean compression : new boolean[] {false, true}) {
          disk.write(
              12,
              compression,
              layer -> {
                for (int i = 0; i < 200; i++) {
                  layer.write(random.nextInt(255 * MIB), text("call " + i, 1 + i * 333));
                }
              });
          files.add(Files.readAllBytes(disk.top()));
        }
      }
    }
    assertArrayEquals(files.get(0), files.get(2));
    assertArrayEquals(files.get(1), files.get(3));
  }

  @Test
  @Tag("tools")
  void aFileThatIsNotFinishedIsNoImage() throws Exception {
    Path file = directory.resolve("cut.qcow2");
    Options options = new Options(64 * MIB, 12, Optional.empty(), false);
    try (Qcow2Chain none = Qcow2Chain.open(List.of(), 64 * MIB)) {
      try (Qcow2Writer writer = Qcow2Writer.create(file, options, none)) {
        writer.write(0, ByteBuffer.wrap(text("data", 3 * MIB)));
        assertThrows(
            IndexOutOfBoundsException.class,
            () -> writer.write(64 * MIB - 1, ByteBuffer.allocate(2)));
        assertThrows(
            IndexOutOfBoundsException.class,
            () -> writer.read(64 * MIB - 1, ByteBuffer.allocate(2)));
      }
      SystemCallException there =
          assertThrows(SystemCallException.class, () -> Qcow2Writer.create(file, options, none));
      assertTrue(there.alreadyExists());
    }
    assertEquals(1, Qemu.img("check", "-f", "qcow2", file).status());
    assertThrows(
        MalformedImageException.class, () -> Qcow2Chain.open(List.of(file), 64 * MIB).close());
  }

  @Test
  @Tag("tools")
  void aFullVolumeIsSaidToBeFull() throws Exception {
    for (boolean compression : new boolean[] {false, true}) {
      try (MountedFileSystem small = MountedFileSystem.make(MountedFileSystem.Kind.TMPFS, 3 * MIB);
          Qcow2Chain none = Qcow2Chain.open(List.of(), 64 * MIB);
          Qcow2Writer writer =
              Qcow2Writer.create(
                  small.root().resolve("a.qcow2"),
                  new Options(64 * MIB, 12, Optional.empty(), compression),
                  none)) {
        byte[] bytes = noise(new Random(15), 8 * MIB);
        ExceedsVolumeException full =
            assertThrows(
                ExceedsVolumeException.class, () -> writer.write(0, ByteBuffer.wrap(bytes)));
        assertTrue(full.full());
        assertEquals(3 * MIB, full.available());
        assertThrows(IllegalStateException.class, writer::finish);
      }
    }
  }

  /// The writer writes the last compressed clusters to the file only in [Qcow2Writer#finish].
  @Test
  @Tag("tools")
  void theLastCompressedClustersFillTheVolume() throws Exception {
    try (MountedFileSystem small = MountedFileSystem.make(MountedFileSystem.Kind.TMPFS, MIB);
        Qcow2Chain none = Qcow2Chain.open(List.of(), 64 * MIB);
        Qcow2Writer writer =
            Qcow2Writer.create(
                small.root().resolve("a.qcow2"),
                new Options(64 * MIB, 12, Optional.empty(), true),
                none)) {
      writer.write(0, ByteBuffer.wrap(noise(new Random(16), MIB + MIB / 2)));
      assertThrows(ExceedsVolumeException.class, writer::finish);
      assertThrows(IllegalStateException.class, writer::finish);
    }
  }

  @Test
  @Tag("tools")
  void anyNumberOfProcessorsGivesTheSameBytes() throws Exception {
    List<Path> files = new ArrayList<>();
    for (int processors : new int[] {1, 4}) {
      Path file = directory.resolve(processors + ".qcow2");
      Command.run(
          Path.of(System.getProperty("java.home"), "bin", "java"),
          "-XX:ActiveProcessorCount=" + processors,
          "-cp",
          System.getProperty("java.class.path"),
          CompressedLayer.class.getName(),
          file);
      files.add(file);
    }
    assertEquals(-1, Files.mismatch(files.get(0), files.get(1)));
    Qemu.img("check", "-f", "qcow2", files.get(0)).ok();
  }
}
