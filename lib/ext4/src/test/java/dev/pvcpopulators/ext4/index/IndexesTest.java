package dev.pvcpopulators.ext4.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.ext4.MemoryDevice;
import dev.pvcpopulators.ext4.block.Bitmap;
import dev.pvcpopulators.ext4.block.BlockCache;
import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Compares the in-memory indexes with the JDK's collections.
class IndexesTest {
  private static final int STEPS = 20_000;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  @Test
  void directoryIndexFindsItsEntries() {
    DirectoryIndex index = new DirectoryIndex();
    Map<Integer, Integer> known = new HashMap<>();
    for (int i = 0; i < STEPS; i++) {
      // Uses only 100 different hashes, so that entries collide and the search wraps around.
      int place = random.nextInt(3000);
      int hash = place % 100 - 50;
      int block = place * 1000 % DirectoryIndex.MOST_BLOCKS;
      int offset = place % 1024 * 4;
      if (known.remove(place) != null) {
        index.remove(hash, block, offset);
      } else {
        known.put(place, hash);
        index.add(hash, block, offset);
      }
    }
    for (int place = 0; place < 3000; place++) {
      int hash = place % 100 - 50;
      int found = 0;
      for (int slot = index.first(hash);
          slot != DirectoryIndex.NONE;
          slot = index.next(slot, hash)) {
        boolean here =
            index.block(slot) == place * 1000 % DirectoryIndex.MOST_BLOCKS
                && index.offset(slot) == place % 1024 * 4;
        found += here ? 1 : 0;
      }
      assertEquals(known.containsKey(place) ? 1 : 0, found, "Seed " + seed);
    }
  }

  @Test
  void findsTheFirstBlockWithSpace() {
    RoomTree tree = new RoomTree();
    List<Integer> rooms = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      int room = random.nextInt(-1, 256);
      if (rooms.isEmpty() || random.nextInt(20) == 0) {
        tree.add(room);
        rooms.add(room);
      } else {
        int block = random.nextInt(rooms.size());
        tree.set(block, room);
        rooms.set(block, room);
      }
      int length = random.nextInt(1, 256);
      int expected = RoomTree.NONE;
      for (int block = rooms.size() - 1; block >= 0; block--) {
        expected = rooms.get(block) >= length ? block : expected;
      }
      assertEquals(expected, tree.first(length), "Seed " + seed);
    }
  }

  @Test
  void broughtEntriesAreThoseThatWereAdded() {
    NumberSet brought = new NumberSet();
    Set<Integer> known = new HashSet<>();
    for (int i = 0; i < STEPS; i++) {
      int place = random.nextInt(4000);
      DirectoryEntry entry = new DirectoryEntry(1, 1, 0, 1 + place / 100, place % 100 * 40);
      assertEquals(known.contains(place), brought.contains(entry.place()), "Seed " + seed);
      if (random.nextBoolean()) {
        brought.add(entry.place());
        known.add(place);
      } else {
        brought.remove(entry.place());
        known.remove(place);
      }
    }
  }

  @Test
  void bitmapIsASetOfBits() {
    ByteBuffer bits = ByteBuffer.allocate(BlockDevice.BLOCK_SIZE).order(ByteOrder.LITTLE_ENDIAN);
    Bitmap bitmap = new Bitmap(bits);
    BitSet known = new BitSet();
    int end = Geometry.BLOCKS_PER_GROUP;
    for (int i = 0; i < STEPS; i++) {
      int from = random.nextInt(end);
      int to = Math.min(end, from + random.nextInt(random.nextBoolean() ? 100 : 5000));
      if (random.nextBoolean()) {
        bitmap.use(from, to);
        known.set(from, to);
      } else {
        bitmap.release(from, to);
        known.clear(from, to);
      }
      int used = known.nextSetBit(to);
      assertEquals(Math.min(end, known.nextClearBit(to)), bitmap.nextFree(to, end), "Seed " + seed);
      assertEquals(used < 0 ? end : used, bitmap.nextUsed(to, end), "Seed " + seed);
    }
    assertArrayEquals(known.toByteArray(), trimmed(bits.array()), "Seed " + seed);
  }

  private static byte[] trimmed(byte[] bytes) {
    return BitSet.valueOf(bytes).toByteArray();
  }

  @Test
  void theCacheReturnsWhatWasStored() throws IOException {
    MemoryDevice device = MemoryDevice.ofSize(1000 * BlockDevice.BLOCK_SIZE);
    BlockCache cache = new BlockCache(device, BlockCache.LEAST_BLOCKS);
    long[] known = new long[1000];
    for (int i = 0; i < STEPS; i++) {
      int block = random.nextInt(1000);
      switch (random.nextInt(5)) {
        case 0 -> {
          known[block] = random.nextLong();
          cache.fresh(block).putLong(8, known[block]);
        }
        case 1 -> {
          known[block]++;
          ByteBuffer buffer = cache.modify(block);
          buffer.putLong(8, buffer.getLong(8) + 1);
        }
        case 2 -> {
          if (random.nextInt(100) == 0) {
            cache.flush();
          }
        }
        case 3 -> {
          cache.forget(block);
          known[block] = cache.fresh(block).getLong(8);
        }
        default -> assertEquals(known[block], cache.get(block).getLong(8), "Seed " + seed);
      }
    }
    cache.flush();
    for (int block = 0; block < known.length; block++) {
      ByteBuffer bytes = ByteBuffer.wrap(device.bytes()).order(ByteOrder.LITTLE_ENDIAN);
      assertEquals(known[block], bytes.getLong(block * BlockDevice.BLOCK_SIZE + 8));
    }
    assertThrows(DamagedFileSystemException.class, () -> cache.get(1000));
    assertThrows(DamagedFileSystemException.class, () -> cache.fresh(-1));
  }
}
