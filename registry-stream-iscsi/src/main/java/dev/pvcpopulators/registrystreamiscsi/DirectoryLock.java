package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.LockFile;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Keeps a second process off the directory of images and LUNs: two would write to the same files,
/// and each take what the other makes for leftovers. The kernel lets go of it when the process
/// ends, however that ends.
final class DirectoryLock implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(DirectoryLock.class);
  private static final String FILE = ".registry-stream-iscsi.lock";
  private static final Duration POLL = Duration.ofMillis(200);

  private @Nullable LockFile lock;

  /// Takes the lock until [#close]; having it already is fine.
  ///
  /// @throws VolumeException with [Failure.VolumeBusy] where another process has it
  void take(Path directory) throws IOException, VolumeException {
    take(directory, Duration.ZERO);
  }

  /// As above, but waits for another process that may be about to end: a pod that replaces a
  /// deleted one is started while that one asks its initiators to log out.
  ///
  /// @param patience how long to wait at most
  synchronized void take(Path directory, Duration patience) throws IOException, VolumeException {
    if (lock != null) {
      return;
    }
    long end = System.nanoTime() + patience.toNanos();
    while (!tryTake(directory)) {
      if (System.nanoTime() >= end) {
        throw new VolumeException(busy(directory));
      }
      pause(directory);
    }
  }

  private static void pause(Path directory) throws VolumeException {
    try {
      Thread.sleep(POLL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VolumeException(busy(directory), e);
    }
  }

  private boolean tryTake(Path path) throws IOException {
    // The exceptions of this one say what is wrong with the directory.
    FileChannel.open(path.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
        .close();
    try (Directory directory = Directory.open(path)) {
      lock = LockFile.tryExclusive(directory, FILE).orElse(null);
    }
    return lock != null;
  }

  private static Failure busy(Path directory) {
    return new Failure.VolumeBusy(
        "Opening "
            + directory
            + ": expected it for this process alone, found another that uses it");
  }

  @Override
  public synchronized void close() {
    LockFile opened = lock;
    lock = null;
    if (opened != null) {
      try {
        opened.close();
      } catch (IOException e) {
        LOG.warnf("Giving the directory back: %s", Reason.of(e));
      }
    }
  }
}
