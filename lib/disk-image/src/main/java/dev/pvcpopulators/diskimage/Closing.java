package dev.pvcpopulators.diskimage;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Closes several resources.
public final class Closing {
  private Closing() {}

  /// Closes all resources in iteration order, even if some of them throw an [IOException].
  ///
  /// @throws IOException the first failure; the later failures are its suppressed exceptions
  public static void all(Iterable<? extends Closeable> resources) throws IOException {
    @Nullable IOException first = null;
    for (Closeable resource : resources) {
      try {
        resource.close();
      } catch (IOException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
