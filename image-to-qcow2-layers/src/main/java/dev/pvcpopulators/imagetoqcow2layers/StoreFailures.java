package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.imagetoqcow2layers.machine.ForeignDirectoryException;
import dev.pvcpopulators.kit.disk.StorageFailures;
import dev.pvcpopulators.linux.SystemCallException;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/// Maps an exception to a failure for clients, if the store's directory is the cause of the
/// exception.
///
/// The JDK reports the messages of the C library, but not the error numbers. Therefore this class
/// compares the messages.
final class StoreFailures {
  private static final Set<String> FULL =
      Set.of("No space left on device", "Disk quota exceeded", "File too large");
  private static final Set<String> DENIED =
      Set.of("Read-only file system", "Operation not permitted", "Not a directory");

  private StoreFailures() {}

  /// Returns the failure for an exception.
  ///
  /// @param action the action that failed, such as `Converting docker://…`
  /// @return the failure; empty if the store is not the cause
  static Optional<Failure> of(IOException e, String action, Path store) {
    return switch (e) {
      case ForeignDirectoryException foreign ->
          Optional.of(new Failure.VolumeNotEmpty(action + ": " + text(foreign)));
      case SystemCallException call when call.full() || call.tooLarge() ->
          Optional.of(full(call, action, store));
      case SystemCallException call when call.denied() -> Optional.of(denied(call, action, store));
      case FileSystemException wrong when denied(wrong, store) ->
          Optional.of(denied(wrong, action, store));
      case FileSystemException wrong when FULL.contains(String.valueOf(wrong.getReason())) ->
          Optional.of(full(wrong, action, store));
      case IOException other when FULL.contains(text(other)) ->
          Optional.of(full(other, action, store));
      case IOException other when DENIED.contains(text(other)) ->
          Optional.of(denied(other, action, store));
      default -> Optional.empty();
    };
  }

  private static boolean denied(FileSystemException e, Path store) {
    String file = e.getFile();
    return file != null
        && Path.of(file).startsWith(store)
        && (DENIED.contains(String.valueOf(e.getReason()))
            || e instanceof AccessDeniedException
            || e instanceof NotDirectoryException
            // A file has the name of a directory that must be created.
            || e instanceof FileAlreadyExistsException);
  }

  private static Failure full(IOException e, String action, Path store) {
    long available = available(store);
    return new Failure.ExceedsVolume(
        action + ": the volume of " + store + " is full: " + text(e),
        available + 1,
        available,
        true);
  }

  private static Failure denied(IOException e, String action, Path store) {
    return StorageFailures.of(e, action, store)
        .orElseGet(() ->
            new Failure.InvalidRequest(
                "%s: %s%s; POPULATOR_TARGET or %sSTORE must name a writable directory"
                    .formatted(
                        action,
                        e instanceof AccessDeniedException ? "Permission denied: " : "",
                        text(e),
                        LayersRequest.PREFIX)));
  }

  /// Returns the free space in bytes, or 0 if the free space cannot be determined. An exception
  /// here would hide the original failure.
  private static long available(Path store) {
    try {
      return Files.getFileStore(store).getUsableSpace();
    } catch (IOException _) {
      return 0;
    }
  }

  private static String text(IOException e) {
    return String.valueOf(e.getMessage());
  }
}
