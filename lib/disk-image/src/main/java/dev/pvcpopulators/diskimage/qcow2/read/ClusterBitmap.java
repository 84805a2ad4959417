package dev.pvcpopulators.diskimage.qcow2.read;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A bitmap with one bit for each host cluster. The bits are stored in pages. A page is allocated
/// when a bit of the page is set for the first time, and is freed when all of its bits are set. In
/// most images, nearly every cluster is in use, so most pages are freed and the bitmap needs little
/// memory.
final class ClusterBitmap {
  private static final int PAGE_BITS = 15;
  private static final int WORDS = (1 << PAGE_BITS) / Long.SIZE;

  /// Index of the last word of a page. This word contains the number of set bits in the page.
  private static final int COUNT = WORDS;

  /// Memory of a page in bytes.
  private static final int PAGE_LENGTH = (WORDS + 1) * Long.BYTES;

  /// Approximate memory of a page's map entry in bytes.
  private static final int PLACE_LENGTH = 80;

  private static final long[] FULL = new long[0];

  private final Map<Long, long[]> pages = new HashMap<>();
  private long length;
  private long lastNumber = -1;
  private long @Nullable [] lastPage;

  /// Returns the approximate memory in use, in bytes.
  long length() {
    return length;
  }

  boolean get(long cluster) {
    long[] page = page(cluster >>> PAGE_BITS);
    return page != null && (full(page) || (page[word(cluster)] & bit(cluster)) != 0);
  }

  /// Sets the bit of a cluster; the bit may already be set.
  void set(long cluster) {
    long number = cluster >>> PAGE_BITS;
    long[] page = page(number);
    if (page == null) {
      page = new long[WORDS + 1];
      put(number, page);
      length += PAGE_LENGTH + PLACE_LENGTH;
    }
    if (full(page) || (page[word(cluster)] & bit(cluster)) != 0) {
      return;
    }
    page[word(cluster)] |= bit(cluster);
    if (++page[COUNT] == 1 << PAGE_BITS) {
      put(number, FULL);
      length -= PAGE_LENGTH;
    }
  }

  private long @Nullable [] page(long number) {
    if (number != lastNumber) {
      lastPage = pages.get(number);
      lastNumber = number;
    }
    return lastPage;
  }

  private void put(long number, long[] page) {
    pages.put(number, page);
    lastNumber = number;
    lastPage = page;
  }

  private static boolean full(long[] page) {
    return page.length == FULL.length;
  }

  private static int word(long cluster) {
    return (int) (cluster & ((1 << PAGE_BITS) - 1)) / Long.SIZE;
  }

  /// Returns the mask of the cluster's bit in its word. The `<<` operator uses the cluster's number
  /// modulo 64.
  private static long bit(long cluster) {
    return 1L << cluster;
  }
}
