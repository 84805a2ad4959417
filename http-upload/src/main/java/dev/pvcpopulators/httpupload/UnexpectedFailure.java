package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.volume.Failure;
import org.jboss.logging.Logger;

/// Creates failures that indicate a defect of this service.
final class UnexpectedFailure {
  private static final Logger LOG = Logger.getLogger(UnexpectedFailure.class);

  private UnexpectedFailure() {}

  /// Logs the cause of a failure.
  ///
  /// @return a failure with the identifier of the log entry
  static Failure logged(Throwable cause) {
    String id = Long.toHexString(System.nanoTime());
    LOG.errorf(cause, "Receiving an upload failed: id=%s", id);
    return new Failure.Bug(id, "Receiving the upload failed; the log has the cause under this id");
  }
}
