package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.medium.MediumFullException;
import dev.pvcpopulators.kit.disk.StorageFailures;
import dev.pvcpopulators.kit.source.SourceFailures;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.UUID;
import org.jboss.logging.Logger;

/// Converts exceptions on the way from a registry to a LUN to the failures that clients get.
///
/// @param target the directory of images and LUNs
record LunFailures(Path target) {
  private static final Logger LOG = Logger.getLogger(LunFailures.class);

  /// Returns the failure for an exception. Exceptions outside the table of failures are logged as
  /// defects.
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
      case MediumFullException full ->
          new Failure.ExceedsVolume(action + ": " + full.getMessage(), -1, -1, true);
      case IOException other when isFull(other) ->
          new Failure.ExceedsVolume(action + ": " + other.getMessage(), -1, -1, true);
      case IOException other when isReadOnly(other) ->
          StorageFailures.of(other, action, target)
              .orElseGet(() ->
                  new Failure.InvalidRequest(
                      action
                          + ": "
                          + other.getMessage()
                          + "; POPULATOR_TARGET names a directory to write to"));
      case FileSystemException file ->
          StorageFailures.of(file, action, target)
              .orElseGet(() -> new Failure.InvalidRequest(action + ": " + Reason.of(file)));
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

  /// Returns whether a file system or quota is full; the JDK reports this only in the message.
  private static boolean isFull(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("No space left on device") || message.contains("Disk quota exceeded");
  }

  private static boolean isReadOnly(IOException e) {
    return String.valueOf(e.getMessage()).contains("Read-only file system");
  }

  private static Failure defect(Throwable cause, String action) {
    String id = UUID.randomUUID().toString();
    LOG.error(action + " failed: id=" + id, cause);
    return new Failure.Bug(id, action + " failed; the log has the cause as " + id);
  }
}
