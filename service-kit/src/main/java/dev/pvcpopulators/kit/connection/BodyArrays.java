package dev.pvcpopulators.kit.connection;

import java.util.concurrent.ArrayBlockingQueue;

/// A pool of reusable arrays for the bodies of requests. Thread-safe.
///
/// Without the pool, a body of some gigabytes would fill the young generation hundreds of times,
/// and each collection would copy the arrays that are still in use.
public final class BodyArrays {
  /// The length of each array in bytes: the most that Netty reads at once.
  public static final int LENGTH = 64 << 10;

  /// The maximum number of free arrays that are kept. An upload with full arrays needs no more than
  /// this number: the arrays in its queue at the high-water mark, and the arrays in use before and
  /// after the queue.
  private static final int MOST_KEPT = 80;

  private static final ArrayBlockingQueue<byte[]> FREE = new ArrayBlockingQueue<>(MOST_KEPT);

  private BodyArrays() {}

  /// Returns an array with arbitrary content. The array belongs to the caller.
  public static byte[] take() {
    byte[] free = FREE.poll();
    return free == null ? new byte[LENGTH] : free;
  }

  /// Takes back an array after its last use. The garbage collector frees an array that is not given
  /// back.
  ///
  /// @param array ignored if its length is not [#LENGTH]
  public static void giveBack(byte[] array) {
    if (array.length == LENGTH) {
      var _ = FREE.offer(array);
    }
  }

  /// Forgets all free arrays, so that an idle service does not keep their memory.
  public static void clear() {
    FREE.clear();
  }
}
