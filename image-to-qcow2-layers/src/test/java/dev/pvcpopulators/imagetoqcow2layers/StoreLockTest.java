package dev.pvcpopulators.imagetoqcow2layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreLockTest {
  @TempDir Path directory;

  @Test
  void nobodyCollectsWhileSomebodyConverts() throws IOException {
    StoreLayout store = new StoreLayout(directory.resolve("store"));
    try (StoreLock _ = StoreLock.toConvert(store)) {
      assertEquals(Optional.empty(), StoreLock.toCollect(store));
    }
    try (StoreLock _ = StoreLock.toCollect(store).orElseThrow()) {
      assertEquals(Optional.empty(), StoreLock.toCollect(store));
    }
    Optional<StoreLock> last = StoreLock.toCollect(store);
    assertTrue(last.isPresent());
    last.get().close();
  }
}
