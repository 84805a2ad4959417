package dev.pvcpopulators.registrystreamiscsi.lun;

import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/// Waits until the image of a LUN is complete, and copies the blocks that the LUN's overlay lacks.
/// Then releases the image. Runs in the background. If the copy fails, for example because of a
/// lack of space, retries it after a pause. Ends without a clone if the pull of the image fails.
///
/// @param ended a latch that reaches zero when the volume is closed
/// @param patience how long commands that began before the copy was complete may still read from
///   the image
/// @param whole called on the thread of the clone when the overlay has the whole content of the
///   image
/// @param apart called on the thread of the clone when no command of this LUN reads from the image
///   any more
public record LunClone(
    ExportedLun lun,
    OverlayMedium overlay,
    CountDownLatch ended,
    Duration patience,
    Listener whole,
    Consumer<ExportedLun> apart)
    implements Runnable {
  private static final Logger LOG = Logger.getLogger(LunClone.class);
  private static final Duration AGAIN = Duration.ofSeconds(30);

  /// A listener for a complete copy.
  @FunctionalInterface
  public interface Listener {
    /// Handles the end of the copy. If this method throws, the clone is retried, and the method is
    /// called again.
    void copied(ExportedLun lun) throws IOException;
  }

  @Override
  public void run() {
    try {
      var _ = lun.image().completed().get();
      while (!isCopied()) {
        if (ended.await(AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
      }
      LOG.infof("The LUN is a full copy: lun=%d bytes=%d", lun.number(), lun.length());
      if (!ended.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        apart.accept(lun);
      }
    } catch (ExecutionException e) {
      if (ended.getCount() > 0) {
        LOG.warnf("Cannot clone the image: lun=%d: %s", lun.number(), Reason.of(e));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isCopied() {
    try {
      overlay.cloneRest((_, _) -> {});
      whole.copied(lun);
      overlay.detachBase();
      return true;
    } catch (IOException e) {
      if (ended.getCount() > 0) {
        LOG.warnf(
            "Cloning failed and continues in %d s: lun=%d: %s",
            AGAIN.toSeconds(), lun.number(), Reason.of(e));
      }
      return false;
    }
  }
}
