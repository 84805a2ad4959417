package dev.pvcpopulators.registrystreamiscsi.storage;

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

/// An exclusive lock on the directory of images and LUNs. Without the lock, a second process would
/// write to the same files, and remove files of the first process as leftovers. The kernel releases
/// the lock when the process ends for any reason.
public final class DirectoryLock implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(DirectoryLock.class);
  private static final String FILE = ".registry-stream-iscsi.lock";
  private static final Duration POLL = Duration.ofMillis(200);

  private @Nullable LockFile lock;

  /// Takes the lock, and holds it until [#close]. Idempotent. Waits if another process holds the
  /// lock, because a replacement pod starts while the deleted pod still asks its initiators to log
  /// out.
  ///
  /// @param patience the longest time to wait
  /// @throws VolumeException with [Failure.VolumeBusy] if another process still holds the lock
  ///   after that time, or the wait was interrupted
  public synchronized void take(Path directory, Duration patience)
      throws IOException, VolumeException {
    if (lock != null) {
      return;
    }
    long end = System.nanoTime() + patience.toNanos();
    try {
      while (!tryTake(directory)) {
        if (System.nanoTime() >= end) {
          throw new VolumeException(busy(directory));
        }
        Thread.sleep(POLL);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VolumeException(busy(directory), e);
    }
  }

  private boolean tryTake(Path path) throws IOException {
    // This call is made first because its exceptions state what is wrong with the directory.
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
            + ": expected a directory that no other process uses, found one in use");
  }

  @Override
  public synchronized void close() {
    LockFile opened = lock;
    lock = null;
    if (opened != null) {
      try {
        opened.close();
      } catch (IOException e) {
        LOG.warnf("Releasing the lock of the directory: %s", Reason.of(e));
      }
    }
  }
}
