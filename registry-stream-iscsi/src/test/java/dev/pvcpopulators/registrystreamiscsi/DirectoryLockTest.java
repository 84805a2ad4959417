package dev.pvcpopulators.registrystreamiscsi;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DirectoryLockTest {
  @TempDir Path directory;

  @Test
  void oneAtATimeHasIt() throws IOException, VolumeException {
    try (DirectoryLock second = new DirectoryLock()) {
      try (DirectoryLock first = new DirectoryLock()) {
        first.take(directory);
        first.take(directory);
        VolumeException refused = assertThrows(VolumeException.class, () -> second.take(directory));
        assertInstanceOf(Failure.VolumeBusy.class, refused.failure());
      }
      second.take(directory);
    }
  }
}
