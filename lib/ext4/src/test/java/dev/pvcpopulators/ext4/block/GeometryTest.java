package dev.pvcpopulators.ext4.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GeometryTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  @ParameterizedTest
  @ValueSource(longs = {0, 15 * MIB, 16 * MIB + 1, 16 * MIB + 4096, (16L << 40) + MIB, -16 * MIB})
  void rejectsOtherSizes(long size) {
    assertThrows(IllegalArgumentException.class, () -> new Geometry(size));
  }

  /// The expected numbers are from mke2fs with the same features.
  @ParameterizedTest
  @CsvSource({
    "16777216, 1, 1024, 4096",
    "10737418240, 80, 8192, 2621440",
    "17179869184, 128, 8192, 4194304",
    "17180917760, 128, 8192, 4194304",
    "21474836480, 160, 8192, 5242880",
    "17592186044416, 131072, 8192, 4294967295"
  })
  void hasTheGroupsOf(long size, int groups, int inodesPerGroup, long blocks) {
    Geometry geometry = new Geometry(size);
    assertEquals(groups, geometry.groupCount());
    assertEquals(inodesPerGroup, geometry.inodesPerGroup());
    assertEquals(blocks, geometry.usedBlocks());
  }

  @Test
  void metadataOfGroupsDoNotOverlap() {
    Geometry geometry = new Geometry(40 * GIB);
    for (int first = 0; first < geometry.groupCount(); first += Geometry.GROUPS_PER_FLEX_GROUP) {
      int count = Math.min(Geometry.GROUPS_PER_FLEX_GROUP, geometry.groupCount() - first);
      long next = Geometry.firstBlock(first) + (first == 0 ? 4 : 0);
      for (int group = first; group < first + count; group++) {
        assertEquals(next++, geometry.blockBitmap(group));
        assertEquals(next++, geometry.inodeBitmap(group));
      }
      for (int group = first; group < first + count; group++) {
        assertEquals(next, geometry.inodeTable(group));
        next += 512;
      }
      assertEquals(next, geometry.metadataEnd(first));
    }
  }

  @Test
  void smallestSizeForContents() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      long blocks = random.nextLong(1L << random.nextInt(2, 33));
      long inodes = random.nextLong(1L << random.nextInt(2, 30));
      long size = Geometry.forContents(blocks, inodes);
      if (size > Geometry.MAX_SIZE) {
        assertTrue(blocks > 1L << 31 || inodes > 1L << 29, "Seed " + seed);
        continue;
      }
      // At the maximum size, the number of the last block is invalid, so this block stays unused.
      boolean most = size == Geometry.MAX_SIZE;
      assertTrue(most || holds(size, blocks, inodes), "Seed " + seed + ": " + size);
      for (long less = size - MIB;
          less >= Geometry.MIN_SIZE && less > size - 300 * MIB;
          less -= MIB) {
        assertTrue(!holds(less, blocks, inodes), "Seed " + seed + ": " + size + ", " + less);
      }
    }
    assertEquals(Geometry.MIN_SIZE, Geometry.forContents(0, 0));
    assertTrue(Geometry.forContents(Long.MAX_VALUE / 4096, 0) > Geometry.MAX_SIZE);
    assertTrue(Geometry.forContents(0, 1L << 31) > Geometry.MAX_SIZE);
  }

  private static boolean holds(long size, long blocks, long inodes) {
    Geometry geometry = new Geometry(size);
    return geometry.usedBlocks() - geometry.overhead() >= blocks && geometry.inodeCount() >= inodes;
  }
}
