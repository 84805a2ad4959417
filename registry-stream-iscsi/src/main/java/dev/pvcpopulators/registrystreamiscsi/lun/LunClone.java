package dev.pvcpopulators.registrystreamiscsi.lun;

import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/// Waits until the image of a LUN is complete, and copies the blocks that the LUN's overlay lacks.
/// Then releases the image. Runs in the background. If the copy fails, for example because of a
/// lack of space, retries it after a pause. Ends without a clone if the pull of the image fails.
///
/// @param ended a latch that reaches zero when the volume is closed
/// @param patience how long commands that began before the copy was complete may still read from
///   the image
public record LunClone(
    ExportedLun lun,
    OverlayMedium overlay,
    CountDownLatch ended,
    Duration patience,
    Listener listener)
    implements Runnable {
  private static final Logger LOG = Logger.getLogger(LunClone.class);
  private static final Duration AGAIN = Duration.ofSeconds(30);

  /// The last two stages of a clone.
  public enum End {
    /// The overlay has the whole content of the image.
    WHOLE,
    /// No command of this LUN reads from the image any more.
    APART
  }

  /// A listener for the stages of a clone.
  @FunctionalInterface
  public interface Listener {
    /// Handles a stage that the clone has reached, on the thread of the clone. If this method
    /// throws for [End#WHOLE], the clone is retried, and the method is called again.
    void heard(ExportedLun lun, End end) throws IOException;
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
        listener.heard(lun, End.APART);
      }
    } catch (ExecutionException | IOException e) {
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
      listener.heard(lun, End.WHOLE);
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
