package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Runs the flushes of one file, or of several that belong together. After one flush has failed,
/// all later ones fail.
///
/// Linux reports a failed write only once, and then treats the bytes as written (fsync(2), "EIO"):
/// the next flush would falsely report that all data is on stable storage. After the file is
/// reopened, a flush is reliable again, but only for data that is written afterwards.
public final class Flushing {
  private volatile @Nullable IOException lost;

  /// An action that writes bytes to stable storage.
  @FunctionalInterface
  public interface Flush {
    void run() throws IOException;
  }

  /// Runs a flush, unless an earlier one has failed.
  ///
  /// @throws IOException if this flush, or an earlier one, failed
  public void run(Flush flush) throws IOException {
    IOException before = lost;
    if (before != null) {
      throw new IOException(
          "An earlier flush failed, so the content of the storage is unknown: "
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
