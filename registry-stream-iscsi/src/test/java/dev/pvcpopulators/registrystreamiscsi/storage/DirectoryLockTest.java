package dev.pvcpopulators.registrystreamiscsi.storage;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DirectoryLockTest {
  @TempDir Path directory;

  @Test
  void oneAtATimeHasIt() throws IOException, VolumeException {
    try (DirectoryLock second = new DirectoryLock()) {
      try (DirectoryLock first = new DirectoryLock()) {
        first.take(directory, Duration.ZERO);
        first.take(directory, Duration.ZERO);
        VolumeException refused =
            assertThrows(VolumeException.class, () -> second.take(directory, Duration.ZERO));
        assertInstanceOf(Failure.VolumeBusy.class, refused.failure());
      }
      second.take(directory, Duration.ZERO);
    }
  }

  @Test
  void aWaitingOwnerGetsTheReleasedLock()
      throws IOException, VolumeException, InterruptedException, ExecutionException {
    try (DirectoryLock second = new DirectoryLock();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      DirectoryLock first = new DirectoryLock();
      first.take(directory, Duration.ZERO);
      CountDownLatch asked = new CountDownLatch(1);
      Future<?> taken =
          threads.submit(() -> {
            asked.countDown();
            second.take(directory, Duration.ofMinutes(10));
            return null;
          });
      asked.await();
      first.close();
      taken.get();
      try (DirectoryLock third = new DirectoryLock()) {
        assertThrows(VolumeException.class, () -> third.take(directory, Duration.ZERO));
      }
    }
  }
}
