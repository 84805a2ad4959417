package dev.pvcpopulators.volume.disk;

import dev.pvcpopulators.diskimage.linux.Mount;
import dev.pvcpopulators.diskimage.linux.SystemCallException;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /// Those for EROFS.
  private static final String READ_ONLY = "Read-only file system";

  private StorageFailures() {}

  /// Finds the row in the table of failures.
  ///
  /// @param action what was being done: `Filling the volume /volume`
  /// @param volume the directory or block device, whether it is there or not
  /// @return empty where something else is to blame
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

  /// Our own exceptions put what they were doing before the words, and the number after them.
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

  /// Whether nobody has mounted it so: ext4 and others write nothing any more after they have found
  /// damage, and a Job that is tried again meets another node, or a file system that was repaired.
  private static boolean turned(Path volume) {
    try {
      return Files.isDirectory(volume) && !Mount.of(volume).readOnly();
    } catch (IOException _) {
      // Nor can the mount be told, then: what cannot be found out is not held against the request.
      return true;
    }
  }
}
