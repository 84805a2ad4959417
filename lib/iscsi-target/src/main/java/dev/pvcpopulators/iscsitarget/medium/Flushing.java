package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Flushes of one file or of several that belong together, none of which succeeds once one has
/// failed.
///
/// Linux tells of bytes that it could not write once, and takes them for written from then on
/// (fsync(2), "EIO"): the next flush would say that all is on stable storage, and it is not.
/// Whoever opens the file anew begins anew, and only with what is written from then on.
final class Flushing {
  private volatile @Nullable IOException lost;

  /// What puts bytes on stable storage.
  @FunctionalInterface
  interface Flush {
    void run() throws IOException;
  }

  /// @throws IOException where this flush, or one before it, failed
  void run(Flush flush) throws IOException {
    IOException before = lost;
    if (before != null) {
      throw new IOException(
          "A flush has failed before, and nobody knows what of it is on the storage: "
              + before.getMessage(),
          before);
    }
    try {
      flush.run();
    } catch (IOException e) {
      lost = e;
      throw e;
    }
  }
}
