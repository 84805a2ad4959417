package dev.pvcpopulators.diskimage.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SparseStoreTest {
  private static final int MIB = 1 << 20;

  @Test
  @Tag("tools")
  void pageCacheStaysSmallWhereItIsUsed() throws IOException {
    long mibs = 160;
    byte[] data = new byte[MIB];
    new Random(1).nextBytes(data);
    try (MountedFileSystem mounted =
            MountedFileSystem.make(MountedFileSystem.Kind.EXT4, 256L * MIB);
        Directory directory = Directory.open(mounted.root());
        NativeFile file = directory.create("file", false)) {
      try (SparseStore store = new SparseStore(file, Long.MAX_VALUE, true, SparseStore.Room.NONE)) {
        // Writes from the end to the beginning: the result must not depend on the order of offsets.
        for (long at = mibs - 1; at >= 0; at--) {
          store.write(at * MIB, MemorySegment.ofArray(data), 0, MIB);
        }
        store.flush();
        assertEquals(mibs * MIB, store.written());
        Path path = mounted.root().resolve("file");
        long cached =
            Long.parseLong(
                Command.run("fincore", "-b", "-n", "-o", "RES", path.toString()).strip());
        assertTrue(cached <= mibs * MIB / 2, cached + " bytes in the page cache");
      }
    }
  }

  @Test
  void sizesRoundToTheirUnit() {
    assertEquals(0, Sizes.ceil(0, MIB));
    assertEquals(MIB, Sizes.ceil(1, MIB));
    assertEquals(MIB, Sizes.ceil(MIB, MIB));
    assertEquals(2L * MIB, Sizes.ceil(MIB + 1, MIB));
    assertEquals(0, Sizes.floor(MIB - 1, MIB));
    assertEquals(MIB, Sizes.floor(MIB, MIB));
  }
}
