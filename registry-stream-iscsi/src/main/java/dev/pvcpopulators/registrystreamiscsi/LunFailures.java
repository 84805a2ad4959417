package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.medium.MediumFullException;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.source.SourceFailures;
import java.io.IOException;
import java.util.UUID;
import org.jboss.logging.Logger;

/// What a client learns of an exception on the way from a registry to a LUN.
final class LunFailures {
  private static final Logger LOG = Logger.getLogger(LunFailures.class);

  private LunFailures() {}

  /// What has no row in the table of failures is logged as a defect.
  ///
  /// @param action what was being done, for messages: `Reading docker://…`
  static VolumeException of(Throwable cause, String action) {
    if (cause instanceof VolumeException known) {
      return known;
    }
    return new VolumeException(
        cause instanceof IOException e ? of(e, action) : defect(cause, action), cause);
  }

  private static Failure of(IOException e, String action) {
    return switch (e) {
      case MediumFullException full ->
          new Failure.ExceedsVolume(action + ": " + full.getMessage(), -1, -1, true);
      case java.net.BindException taken ->
          new Failure.InvalidRequest(action + ": " + taken.getMessage());
      default -> SourceFailures.of(e, action).orElseGet(() -> defect(e, action));
    };
  }

  private static Failure defect(Throwable cause, String action) {
    String id = UUID.randomUUID().toString();
    LOG.error(action + " failed: id=" + id, cause);
    return new Failure.Bug(id, action + " failed; the log has the cause as " + id);
  }
}
