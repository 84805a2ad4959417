package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BitmapTest {
  private static Bitmap bitmap(long size) {
    MemorySegment memory = Arena.ofAuto().allocate(Bitmap.bytes(size), Long.BYTES);
    return new Bitmap(memory, size);
  }

  @Test
  void agreesWithABitSet() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int size : new int[] {1, 63, 64, 65, 1000}) {
      Bitmap bitmap = bitmap(size);
      BitSet model = new BitSet();
      for (int step = 0; step < 2000; step++) {
        int from = random.nextInt(size + 1);
        int to = from + random.nextInt(size - from + 1);
        String where = "seed %d, size %d, step %d, %d to %d".formatted(seed, size, step, from, to);
        int within = model.get(from, to).cardinality();
        if (random.nextBoolean()) {
          assertEquals(to - from - within, bitmap.set(from, to), where);
          model.set(from, to);
        } else {
          assertEquals(within, bitmap.clear(from, to), where);
          model.clear(from, to);
        }
        int a = random.nextInt(size + 1);
        int b = a + random.nextInt(size - a + 1);
        int nextSet = model.nextSetBit(a);
        assertEquals(nextSet < 0 || nextSet > b ? b : nextSet, bitmap.nextSet(a, b), where);
        assertEquals(Math.min(b, model.nextClearBit(a)), bitmap.nextClear(a, b), where);
        assertEquals(model.get(a, b).cardinality() == b - a, bitmap.allSet(a, b), where);
        assertEquals(model.cardinality(), bitmap.count(), where);
      }
    }
  }

  @Test
  void bitNLiesInTheLittleEndianWord() {
    MemorySegment memory = Arena.ofAuto().allocate(16, Long.BYTES);
    new Bitmap(memory, 70).set(66, 67);
    assertEquals(4, memory.get(ValueLayout.JAVA_BYTE, 8));
  }

  @Test
  void refusesBitsThatItDoesNotHave() {
    Bitmap bitmap = bitmap(10);
    assertTrue(bitmap.allSet(10, 10));
    assertThrows(IndexOutOfBoundsException.class, () -> bitmap.get(10));
    assertThrows(IndexOutOfBoundsException.class, () -> bitmap.set(9, 11));
    assertThrows(IndexOutOfBoundsException.class, () -> bitmap.nextClear(-1, 3));
    assertThrows(
        IndexOutOfBoundsException.class, () -> new Bitmap(MemorySegment.ofArray(new long[1]), 65));
  }

  @Test
  void takesOverTheBitsOfAnother() {
    Bitmap one = bitmap(130);
    Bitmap other = bitmap(130);
    one.set(3, 5);
    other.set(128, 130);
    one.setAll(other);
    assertEquals(4, one.count());
    assertTrue(one.get(129));
    assertFalse(one.get(127));
    assertThrows(IllegalArgumentException.class, () -> one.setAll(bitmap(64)));
  }

  @Test
  void eachBitIsNewToOneThreadOnly() throws InterruptedException {
    Bitmap bitmap = bitmap(100_000);
    AtomicLong changed = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int step = 3 + t;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (long at = 0; at < bitmap.size(); at += step) {
                  changed.addAndGet(bitmap.set(at, Math.min(at + step, bitmap.size())));
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(bitmap.size(), changed.get());
    assertEquals(bitmap.size(), bitmap.count());
  }
}
