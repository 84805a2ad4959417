package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.volume.Failure;
import org.jboss.logging.Logger;

/// What should not happen while an upload is received.
final class Defect {
  private static final Logger LOG = Logger.getLogger(Defect.class);

  private Defect() {}

  /// Logs the cause.
  ///
  /// @return the failure that names the log entry
  static Failure logged(Throwable cause) {
    String id = Long.toHexString(System.nanoTime());
    LOG.errorf(cause, "Receiving an upload failed: id=%s", id);
    return new Failure.Bug(id, "Receiving the upload failed; the log has the cause under this id");
  }
}
