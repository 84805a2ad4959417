package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the writer makes, as QEMU sees it.
class Qcow2WriterTest {
  private static final int BLOCK = 4096;
  private static final int MIB = 1 << 20;
  private static final long GIB = 1L << 30;

  @TempDir private Path directory = Path.of("");

  private static byte[] text(String word, int length) {
    byte[] bytes = new byte[length];
    byte[] pattern = (word + " ").getBytes(java.nio.charset.StandardCharsets.US_ASCII);
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
  void aStackOfThreeIsWhatRawFilesWouldBe() throws Exception {
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
  void compressedClustersShareHostClusters() throws Exception {
    for (int bits : new int[] {9, 12, 16, 21}) {
      long seed = 12 + bits;
      Random random = new Random(seed);
      int size = 1 << bits;
      long length = Math.min(64L * MIB, 200L * size);
      try (WrittenDisk disk =
          new WrittenDisk(Files.createDirectory(directory.resolve("bits" + bits)), length)) {
        for (boolean compression : new boolean[] {true, true, false}) {
          disk.layer(
              bits,
              compression,
              layer -> {
                for (int i = 0; i < 120; i++) {
                  long at = random.nextLong(length / size) * size;
                  byte[] bytes = text("cluster " + i, size);
                  if (i % 3 == 0) {
                    // Some of it does not shrink, so that lengths differ.
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
          disk.requireReadable();
        }
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }
}
