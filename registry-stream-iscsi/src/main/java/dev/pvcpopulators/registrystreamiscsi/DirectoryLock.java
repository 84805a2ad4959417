package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Keeps a second process off the directory of images and LUNs: two would write to the same files,
/// and each take what the other makes for leftovers. The kernel lets go of it when the process
/// ends, however that ends.
final class DirectoryLock implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(DirectoryLock.class);
  private static final String FILE = ".registry-stream-iscsi.lock";

  private @Nullable FileChannel channel;

  /// Takes the lock until [#close]; having it already is fine.
  ///
  /// @throws VolumeException with [Failure.VolumeBusy] where another process has it
  synchronized void take(Path directory) throws IOException, VolumeException {
    if (channel != null) {
      return;
    }
    FileChannel opened =
        FileChannel.open(
            directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    @Nullable FileLock lock = null;
    try {
      lock = opened.tryLock();
    } catch (OverlappingFileLockException e) {
      throw new VolumeException(busy(directory), e);
    } finally {
      if (lock == null) {
        opened.close();
      }
    }
    if (lock == null) {
      throw new VolumeException(busy(directory));
    }
    channel = opened;
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
        LOG.warn("Giving the directory back", e);
      }
    }
  }
}
