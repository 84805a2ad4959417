package dev.pvcpopulators.registrystreamiscsi;

import static org.junit.jupiter.api.Assertions.assertEquals;
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

  /// flock(1) would be another kind of lock: Java's is that of fcntl(2).
  @Test
  void anotherProcessIsKeptOff() throws IOException, InterruptedException, VolumeException {
    try (DirectoryLock lock = new DirectoryLock()) {
      lock.take(directory);
      Process other =
          new ProcessBuilder(
                  "python3",
                  "-c",
                  """
                  import fcntl, sys
                  try:
                      fcntl.lockf(open(sys.argv[1], "r+"), fcntl.LOCK_EX | fcntl.LOCK_NB)
                  except OSError:
                      sys.exit(75)
                  """,
                  directory.resolve(".registry-stream-iscsi.lock").toString())
              .inheritIO()
              .start();
      assertEquals(75, other.waitFor());
    }
  }
}
