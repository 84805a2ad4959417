package dev.pvcpopulators.registrystreamiscsi.export;

import dev.pvcpopulators.registrystreamiscsi.lun.Leftovers;
import dev.pvcpopulators.registrystreamiscsi.lun.WantedLun;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jboss.logging.Logger;

/// The LUNs left by a stopped service. Exports them again, and retries in the background if an
/// export fails. Thread-safe.
public final class StoredLuns {
  private static final Logger LOG = Logger.getLogger(StoredLuns.class);
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final Exports exports;
  private final LunPublication luns;
  private final ConcurrentSkipListMap<Integer, String> broken;

  /// LUNs whose export failed and is retried.
  private final ConcurrentSkipListMap<Integer, WantedLun> retried = new ConcurrentSkipListMap<>();

  public StoredLuns(Exports exports, LunPublication luns) {
    this.exports = exports;
    this.luns = luns;
    this.broken = luns.broken();
  }

  /// Exports the LUNs of a stopped service; incomplete pulls continue. A LUN that cannot be
  /// exported stays unchanged and keeps its number. If an export fails with an exception,
  /// [#retryInBackground] retries it. LUNs that [Exports#refusal] refuses and the LUNs in
  /// [Leftovers#broken] are not retried.
  public void exportAgain(Leftovers left) {
    left.kept().forEach(exports::reserve);
    broken.putAll(left.broken());
    for (WantedLun each : left.again()) {
      int number = each.before().lun();
      exports.reserve(number);
      Optional<String> refusal = exports.refusal(each.request());
      if (refusal.isPresent()) {
        LOG.errorf(
            "The LUN was not exported; its data are kept: lun=%d: %s", number, refusal.get());
        broken.put(number, refusal.get());
        continue;
      }
      try {
        luns.exportAgain(each);
      } catch (IOException | IllegalArgumentException e) {
        LOG.errorf("The LUN was not exported; its data are kept: lun=%d: %s", number, Reason.of(e));
        broken.put(number, Reason.of(e));
        retried.put(number, each);
      }
    }
  }

  /// Retries the exports that failed in [#exportAgain], in the background, until they succeed or
  /// the volume is closed. The cause of a failed export may be temporary, such as full or absent
  /// storage.
  public void retryInBackground() {
    if (!retried.isEmpty()) {
      Thread.ofVirtual().name("luns-again").start(this::retryUntilCancelled);
    }
  }

  private void retryUntilCancelled() {
    try {
      while (!retried.isEmpty() && !luns.awaitCancelled(PAUSE)) {
        for (int number : retried.keySet()) {
          retryAndNote(number);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Tries the export of a LUN once more, and notes the reason in `broken` if the export fails.
  /// This method is synchronized, so that no reason is noted after another thread has exported the
  /// LUN.
  private synchronized void retryAndNote(int number) {
    try {
      retry(number);
    } catch (IOException | IllegalArgumentException e) {
      String reason = Reason.of(e);
      if (!reason.equals(broken.put(number, reason))) {
        LOG.errorf("The LUN was not exported again: lun=%d: %s", number, reason);
      }
    }
  }

  /// Returns whether the export of a LUN failed and is retried.
  public boolean isRetried(int number) {
    return retried.containsKey(number);
  }

  /// Tries once more to export a LUN.
  private synchronized void retry(int number) throws IOException {
    WantedLun wanted = retried.get(number);
    if (wanted != null && !luns.isCancelled()) {
      luns.exportAgain(wanted);
      // This order matters: no other thread may find the LUN in `broken` but not in `retried`.
      broken.remove(number);
      retried.remove(number);
    }
  }

  /// Tries once more to export the LUN that a client requests, if the export of that LUN failed
  /// before.
  ///
  /// @throws IOException if the export fails again
  public void retry(VolumeRequest request) throws IOException {
    for (WantedLun each : retried.values()) {
      if (request.equals(each.by())) {
        retry(each.before().lun());
      }
    }
  }
}
