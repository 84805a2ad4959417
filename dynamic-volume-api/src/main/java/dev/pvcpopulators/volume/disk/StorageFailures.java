package dev.pvcpopulators.volume.disk;

import dev.pvcpopulators.diskimage.linux.SystemCallException;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a client learns of storage that failed under a volume.
public final class StorageFailures {
  /// The C library's words for EIO, ENXIO, ENODEV, ESTALE, EUCLEAN and EREMOTEIO: the JDK's
  /// exceptions have no error numbers.
  private static final Set<String> WORDS =
      Set.of(
          "Input/output error",
          "No such device or address",
          "No such device",
          "Stale file handle",
          "Structure needs cleaning",
          "Remote I/O error");

  private StorageFailures() {}

  /// Finds the row in the table of failures.
  ///
  /// @param action what was being done: `Filling the volume /volume`
  /// @return empty where something else is to blame
  public static Optional<Failure> of(IOException e, String action) {
    boolean failed =
        switch (e) {
          case SystemCallException call -> call.storageFailed();
          case FileSystemException file -> isTold(file.getReason());
          default -> isTold(e.getMessage());
        };
    return failed
        ? Optional.of(new Failure.VolumeFailed(action + ": its storage failed: " + e.getMessage()))
        : Optional.empty();
  }

  /// Our own exceptions put what they were doing before the words, and the number after them.
  private static boolean isTold(@Nullable String message) {
    return message != null && WORDS.stream().anyMatch(message::contains);
  }
}
