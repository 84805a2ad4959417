package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.iscsitarget.medium.MediumFullException;
import dev.pvcpopulators.kit.disk.SourceFailures;
import dev.pvcpopulators.kit.disk.StorageFailures;
import dev.pvcpopulators.linux.SystemCallException;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/// Converts exceptions of registries, images and files into the failures that clients receive.
/// Notifies a watcher if a usable LUN fails.
final class LunFailures {
  private static final Logger LOG = Logger.getLogger(LunFailures.class);

  /// The C library's messages for ENOSPC and EDQUOT. Messages are compared, because a
  /// [FileSystemException] has no error number.
  private static final Set<String> FULL = Set.of("No space left on device", "Disk quota exceeded");

  /// The C library's messages for EMFILE and ENFILE.
  private static final Set<String> NO_DESCRIPTORS =
      Set.of("Too many open files", "Too many open files in system");

  /// The C library's message for EROFS.
  private static final String READ_ONLY = "Read-only file system";

  private final Path target;
  private volatile Consumer<Failure> watcher = _ -> {};

  /// Creates a converter.
  ///
  /// @param target the directory of images and LUNs
  LunFailures(Path target) {
    this.target = target;
  }

  /// Sets the watcher that [#tell] calls.
  void watch(Consumer<Failure> by) {
    watcher = by;
  }

  /// Notifies the watcher that a usable LUN has failed.
  void tell(IOException cause, int lun) {
    watcher.accept(
        cause instanceof DigestMismatchException
            ? new Failure.DigestMismatch("LUN " + lun + ": " + cause.getMessage())
            : of(cause, "Pulling the image of LUN " + lun));
  }

  /// Returns the failure for an exception. If only [Failure.Bug] describes the exception, the
  /// exception is logged as a defect.
  ///
  /// @param action the failed action, for messages: `Reading docker://…`
  VolumeException of(Throwable cause, String action) {
    if (cause instanceof VolumeException known) {
      return known;
    }
    return new VolumeException(
        cause instanceof IOException e ? of(e, action) : defect(cause, action), cause);
  }

  private Failure of(IOException e, String action) {
    return switch (e) {
      case IOException full when hasCause(full, LunFailures::isFull) ->
          new Failure.ExceedsVolume(action + ": " + full.getMessage(), -1, -1, true);
      case IOException other when hasCause(other, LunFailures::isReadOnly) ->
          StorageFailures.of(other, action, target)
              .orElseGet(() ->
                  new Failure.InvalidRequest(
                      "%s: %s; POPULATOR_TARGET names a directory to write to"
                          .formatted(action, other.getMessage())));
      case FileSystemException file ->
          StorageFailures.of(file, action, target)
              .orElseGet(() ->
                  NO_DESCRIPTORS.contains(String.valueOf(file.getReason()))
                      ? defect(file, action)
                      : new Failure.InvalidRequest(action + ": " + Reason.of(file)));
      case UnknownHostException unknown ->
          new Failure.InvalidRequest(action + ": no address is known of " + unknown.getMessage());
      default ->
          e.getCause() instanceof BindException taken
              ? new Failure.InvalidRequest(
                  action + ": " + e.getMessage() + ": " + taken.getMessage())
              : SourceFailures.of(e, action)
                  .or(() -> StorageFailures.of(e, action, target))
                  .orElseGet(() -> defect(e, action));
    };
  }

  /// Returns whether the exception or one of its causes is of the given kind.
  private static boolean hasCause(Throwable e, Predicate<Throwable> kind) {
    return kind.test(e) || (e.getCause() != null && hasCause(e.getCause(), kind));
  }

  /// Returns whether the exception states that a file system or quota is full.
  private static boolean isFull(Throwable e) {
    return switch (e) {
      case MediumFullException _ -> true;
      case SystemCallException call -> call.full();
      case FileSystemException file -> FULL.contains(String.valueOf(file.getReason()));
      default -> false;
    };
  }

  private static boolean isReadOnly(Throwable e) {
    return switch (e) {
      case SystemCallException call -> call.readOnly();
      case FileSystemException file -> READ_ONLY.equals(file.getReason());
      default -> false;
    };
  }

  private static Failure defect(Throwable cause, String action) {
    String id = UUID.randomUUID().toString();
    LOG.error(action + " failed: id=" + id, cause);
    return new Failure.Bug(id, action + " failed; the log has the cause as " + id);
  }
}
