package dev.pvcpopulators.kit.disk;

import dev.pvcpopulators.linux.Mount;
import dev.pvcpopulators.linux.SystemCallException;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Maps failures of the storage under a volume to failures for clients.
public final class StorageFailures {
  /// The texts of the C library for EIO, ENXIO, ENODEV, ESTALE, EUCLEAN and EREMOTEIO. These texts
  /// are needed, because the JDK's exceptions have no error numbers.
  private static final Set<String> WORDS =
      Set.of(
          "Input/output error",
          "No such device or address",
          "No such device",
          "Stale file handle",
          "Structure needs cleaning",
          "Remote I/O error");

  /// The text for EROFS.
  private static final String READ_ONLY = "Read-only file system";

  private StorageFailures() {}

  /// Returns the [Failure] that corresponds to an exception.
  ///
  /// @param action the failed action, such as `Filling the volume /volume`, for the message
  /// @param volume the directory or block device, whether it exists or not
  /// @return empty if the storage is not the cause
  public static Optional<Failure> of(IOException e, String action, Path volume) {
    boolean failed =
        switch (e) {
          case SystemCallException call -> call.storageFailed();
          case FileSystemException file -> isTold(file.getReason());
          default -> isTold(e.getMessage());
        };
    if (failed) {
      return Optional.of(
          new Failure.VolumeFailed(action + ": the storage failed: " + e.getMessage()));
    }
    return isReadOnly(e, volume) && turned(volume)
        ? Optional.of(
            new Failure.VolumeFailed(
                "%s: the file system of %s has turned read-only: %s"
                    .formatted(action, volume, e.getMessage())))
        : Optional.empty();
  }

  /// Returns whether a message contains one of [#WORDS]. The message may contain other text, such
  /// as the operation.
  private static boolean isTold(@Nullable String message) {
    return message != null && WORDS.stream().anyMatch(message::contains);
  }

  private static boolean isReadOnly(IOException e, Path volume) {
    return switch (e) {
      case SystemCallException call -> call.readOnly();
      case FileSystemException file ->
          READ_ONLY.equals(file.getReason())
              && file.getFile() != null
              && Path.of(file.getFile()).startsWith(volume);
      default -> String.valueOf(e.getMessage()).contains(READ_ONLY);
    };
  }

  /// Returns whether the volume is a directory on a writable mount. If a write to such a volume
  /// fails with EROFS, the cause is not a read-only mount: the file system itself has become
  /// read-only, as ext4 and others do after they have found damage. The resulting
  /// [Failure.VolumeFailed] is retryable, because the next attempt of a Job may run on another
  /// node, or on a repaired file system.
  private static boolean turned(Path volume) {
    try {
      return Files.isDirectory(volume) && !Mount.of(volume).readOnly();
    } catch (IOException _) {
      // If the mount cannot be examined, the error counts as a failure of the storage, not of the
      // request.
      return true;
    }
  }
}
