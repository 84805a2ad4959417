package dev.pvcpopulators.imagetoqcow2layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConversionLockTest {
  @TempDir Path directory;

  @Test
  void collectionAndConversionExcludeEachOther() throws IOException {
    StoreLayout store = new StoreLayout(directory.resolve("store"));
    try (ConversionLock _ = ConversionLock.toConvert(store)) {
      assertEquals(Optional.empty(), ConversionLock.toCollect(store));
    }
    try (ConversionLock _ = ConversionLock.toCollect(store).orElseThrow()) {
      assertEquals(Optional.empty(), ConversionLock.toCollect(store));
    }
    Optional<ConversionLock> last = ConversionLock.toCollect(store);
    assertTrue(last.isPresent());
    last.get().close();
  }
}
