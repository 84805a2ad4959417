package dev.pvcpopulators.imagetoqcow2layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import dev.pvcpopulators.linux.LockFile;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreLayoutTest {
  @TempDir private Path directory = Path.of("");

  @Test
  void collectionAndConversionExcludeEachOther() throws Exception {
    StoreLayout store = new StoreLayout(directory.resolve("store"));
    try (LockFile _ = store.lockToConvert()) {
      assertEquals(Optional.empty(), store.tryLockToCollect());
    }
    try (LockFile _ = store.tryLockToCollect().orElseThrow()) {
      assertEquals(Optional.empty(), store.tryLockToCollect());
    }
    try (LockFile last = store.tryLockToCollect().orElseThrow()) {
      assertNotNull(last);
    }
  }

  /// Two conversions of one process can hold the store's lock at the same time. If one conversion
  /// ends, the other conversion still holds the lock. With a lock of fcntl(2), the process would
  /// lose the lock as soon as one conversion ends.
  @Test
  void conversionsRunAtTheSameTime() throws Exception {
    StoreLayout store = new StoreLayout(directory.resolve("store"));
    try (LockFile first = store.lockToConvert()) {
      try (LockFile second = store.lockToConvert()) {
        assertNotSame(first, second);
      }
      assertEquals(Optional.empty(), store.tryLockToCollect(), "the first one still runs");
    }
  }
}
