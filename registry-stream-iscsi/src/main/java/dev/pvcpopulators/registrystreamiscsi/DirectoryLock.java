package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
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

  private @Nullable FileChannel channel;

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
    if (channel != null) {
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

  private boolean tryTake(Path directory) throws IOException {
    FileChannel opened =
        FileChannel.open(
            directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    @Nullable FileLock lock = null;
    try {
      lock = opened.tryLock();
    } catch (OverlappingFileLockException _) {
      // Another service of this process has it: the same as another process.
    } finally {
      if (lock == null) {
        opened.close();
      }
    }
    if (lock == null) {
      return false;
    }
    channel = opened;
    return true;
  }

  private static Failure busy(Path directory) {
    return new Failure.VolumeBusy(
        "Opening "
            + directory
            + ": expected it for this process alone, found another that uses it");
  }

  @Override
  public synchronized void close() {
    FileChannel opened = channel;
    channel = null;
    if (opened != null) {
      try {
        opened.close();
      } catch (IOException e) {
        LOG.warnf("Giving the directory back: %s", Reason.of(e));
      }
    }
  }
}
