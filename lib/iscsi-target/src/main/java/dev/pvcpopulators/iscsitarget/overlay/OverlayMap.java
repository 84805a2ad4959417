package dev.pvcpopulators.iscsitarget.overlay;

import dev.pvcpopulators.iscsitarget.medium.Bitmap;
import dev.pvcpopulators.iscsitarget.medium.BlockMapFile;
import dev.pvcpopulators.iscsitarget.medium.DiskFiles;
import dev.pvcpopulators.iscsitarget.medium.Flushing;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLongArray;

/// Records which blocks of a disk an overlay has.
///
/// There are two bitmaps. A bit of the *live* bitmap is set after its block was written. The live
/// bitmap is correct after a kill of the process, but not after a power failure, because the kernel
/// may have written the page of the bitmap before the block. A bit of the *durable* bitmap is set
/// after its block was flushed, so this bitmap is correct after a power failure. The header has the
/// ID of the boot during which the live bitmap was written. If the map is opened in another boot of
/// the host, or after a flush has failed, the durable bitmap replaces the live bitmap.
///
/// Bits of the live bitmap are cleared only when the durable bitmap replaces it. Bits of the
/// durable bitmap are never cleared.
final class OverlayMap implements Closeable {
  /// The number of 64-bit words in a page of a bitmap. A page has 4,096 bytes. A flush copies whole
  /// pages to the durable bitmap.
  private static final int PAGE_WORDS = 512;

  private static final int PAGE_BITS = PAGE_WORDS * Long.SIZE;

  /// The maximum number of pages that a flush keeps in memory while the data is flushed. Together,
  /// 64 pages have 256 KiB, and represent 8 GiB of the disk.
  private static final int PAGES_AT_ONCE = 64;

  private final DiskFiles files;
  private final BlockMapFile file;
  private final Bitmap live;
  private final Bitmap durable;
  private final int pages;

  /// One bit for each page of the live bitmap, set if the page may have bits that the durable
  /// bitmap lacks. [#set] holds the monitor of this array while it sets bits of the live bitmap and
  /// of this array. A flush holds the monitor while it clears bits of this array and takes a copy
  /// of the corresponding pages. Without the monitor, another thread could see the live bit of a
  /// block, write to the block, and flush before [#set] marks the page in this array. That flush
  /// would not copy the page to the durable bitmap.
  private final AtomicLongArray dirty;

  private final Flushing storage = new Flushing();
  private boolean namesDurable;

  private OverlayMap(DiskFiles files, BlockMapFile file) {
    this.files = files;
    this.file = file;
    this.live = file.first();
    this.durable = file.second();
    this.pages = Math.toIntExact(Math.ceilDiv(live.size(), (long) PAGE_BITS));
    this.dirty = new AtomicLongArray(Math.ceilDiv(pages, Long.SIZE));
  }

  /// Creates an empty map atomically: the file gets its final name after all its bytes were
  /// written.
  static OverlayMap create(DiskFiles files, long diskLength, String identity) throws IOException {
    BlockMapFile file = BlockMapFile.create(files.unfinishedMap(), diskLength, identity);
    try {
      file.force();
      Files.move(files.unfinishedMap(), files.map(), StandardCopyOption.ATOMIC_MOVE);
      return new OverlayMap(files, file);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /// Opens an existing map.
  ///
  /// @throws MapRefusedException if the map is damaged or belongs to another disk
  static OverlayMap open(DiskFiles files, long diskLength, String identity) throws IOException {
    BlockMapFile file = BlockMapFile.open(files.map(), diskLength, identity);
    try {
      OverlayMap map = new OverlayMap(files, file);
      map.recover(BlockMapFile.currentBoot());
      return map;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private void recover(UUID boot) throws IOException {
    boolean sameBoot = file.header().boot().equals(boot);
    for (int page = 0; page < pages; page++) {
      long[] flushed = words(durable, page);
      if (Arrays.equals(words(live, page), flushed)) {
        continue;
      }
      if (sameBoot) {
        markDirty(page);
      } else {
        live.writeWords((long) page * PAGE_WORDS, flushed);
      }
    }
    if (!sameBoot) {
      // The header is written after the bits. If the process ends before the header is written, the
      // next opening repeats this work.
      file.writeHeader(file.header().inBoot(boot));
    }
  }

  /// Returns the blocks that the overlay has; the caller must not change the bitmap.
  Bitmap blocks() {
    return live;
  }

  /// Records that the overlay has a range of blocks. The bytes of these blocks must already be
  /// written.
  void set(long from, long to) {
    synchronized (dirty) {
      if (live.set(from, to) > 0) {
        for (long page = from / PAGE_BITS; page <= (to - 1) / PAGE_BITS; page++) {
          markDirty((int) page);
        }
      }
    }
  }

  /// Flushes to stable storage all blocks that [#set] recorded before this call: first their bytes,
  /// then their bits.
  ///
  /// @param data the medium with the bytes of the blocks
  synchronized void flush(Medium data) throws IOException {
    storage.run(() -> {
      try {
        flushAll(data);
      } catch (IOException e) {
        file.distrust(e);
        throw e;
      }
    });
  }

  private void flushAll(Medium data) throws IOException {
    if (!namesDurable) {
      files.syncNames();
      namesDurable = true;
    }
    int page = 0;
    do {
      page = flushPages(data, page);
    } while (page < pages);
  }

  /// Records that the overlay has every block. The caller must have flushed all blocks.
  synchronized void complete() throws IOException {
    file.writeHeader(file.header().completed());
    file.force();
  }

  /// Copies the next dirty pages of the live bitmap to the durable bitmap. First takes a copy of
  /// the pages, then flushes the data, and then writes the copy to the durable bitmap.
  ///
  /// @return the page after the last examined page
  private int flushPages(Medium data, int from) throws IOException {
    int[] taken = new int[PAGES_AT_ONCE];
    long[][] staged = new long[PAGES_AT_ONCE][];
    int count = 0;
    int page = from;
    synchronized (dirty) {
      for (; page < pages && count < PAGES_AT_ONCE; page++) {
        if (takeDirty(page)) {
          taken[count] = page;
          staged[count++] = words(live, page);
        }
      }
    }
    boolean carried = false;
    try {
      data.flush();
      for (int i = 0; i < count; i++) {
        durable.writeWords((long) taken[i] * PAGE_WORDS, staged[i]);
      }
      if (count > 0) {
        file.force();
      }
      carried = true;
    } finally {
      for (int i = 0; i < count && !carried; i++) {
        markDirty(taken[i]);
      }
    }
    return page;
  }

  private static long[] words(Bitmap bitmap, int page) {
    long first = (long) page * PAGE_WORDS;
    long[] words = new long[(int) Math.min(PAGE_WORDS, bitmap.words() - first)];
    bitmap.readWords(first, words);
    return words;
  }

  private void markDirty(int page) {
    int word = page / Long.SIZE;
    long bit = 1L << page;
    if ((dirty.get(word) & bit) == 0) {
      dirty.getAndUpdate(word, before -> before | bit);
    }
  }

  private boolean takeDirty(int page) {
    int word = page / Long.SIZE;
    long bit = 1L << page;
    return (dirty.get(word) & bit) != 0
        && (dirty.getAndUpdate(word, before -> before & ~bit) & bit) != 0;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
