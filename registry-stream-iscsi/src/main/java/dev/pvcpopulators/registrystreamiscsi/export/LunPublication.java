package dev.pvcpopulators.registrystreamiscsi.export;

import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import dev.pvcpopulators.iscsitarget.unit.CommandObserver;
import dev.pvcpopulators.registrystreamiscsi.image.CachedImage;
import dev.pvcpopulators.registrystreamiscsi.image.ImageRecord;
import dev.pvcpopulators.registrystreamiscsi.image.VolumeImages;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.lun.LunClone;
import dev.pvcpopulators.registrystreamiscsi.lun.LunDirectory;
import dev.pvcpopulators.registrystreamiscsi.lun.LunMedia;
import dev.pvcpopulators.registrystreamiscsi.lun.LunRecord;
import dev.pvcpopulators.registrystreamiscsi.lun.WantedLun;
import dev.pvcpopulators.registrystreamiscsi.settings.CopyMode;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import org.jboss.logging.Logger;

/// Publishes the LUNs of one volume: creates them, exports them again after a restart, and
/// withdraws them. Thread-safe; after [#cancel] no more LUNs are published. The steps that publish
/// a LUN or close the volume hold the monitor of this object, so that no LUN is published after the
/// volume was closed.
public final class LunPublication {
  private static final Logger LOG = Logger.getLogger(LunPublication.class);

  private final RegistryStreamIscsiSettings settings;
  private final Exports exports;
  private final VolumeImages images;
  private final LunDirectory directory;
  private final CommandObserver observer;
  private final ObjIntConsumer<IOException> failures;
  private final CountDownLatch cancelled = new CountDownLatch(1);

  /// Numbers of LUNs that this process created.
  private final Set<Integer> created = ConcurrentHashMap.newKeySet();

  /// Reasons why LUNs cannot be used, by the number of the LUN.
  private final ConcurrentSkipListMap<Integer, String> broken = new ConcurrentSkipListMap<>();

  /// Creates a publication without LUNs.
  ///
  /// @param failures called when a usable LUN fails, with the exception and the number of the LUN
  public LunPublication(
      RegistryStreamIscsiSettings settings,
      Exports exports,
      VolumeImages images,
      LunDirectory directory,
      CommandObserver observer,
      ObjIntConsumer<IOException> failures) {
    this.settings = settings;
    this.exports = exports;
    this.images = images;
    this.directory = directory;
    this.observer = observer;
    this.failures = failures;
  }

  /// Returns the requested LUNs that cannot be used, with the reasons. The map is not a copy: this
  /// class adds entries, and [StoredLuns] adds and removes entries.
  public ConcurrentSkipListMap<Integer, String> broken() {
    return broken;
  }

  /// Returns the number of the LUN that represents the volume: the lowest number of an exported LUN
  /// or of a LUN in [#broken]. LUNs in [#broken] count, too, so that a failed LUN with the lowest
  /// number still represents the volume. Returns [Integer#MAX_VALUE] if there is no LUN.
  public int first() {
    int exported =
        exports.luns().stream().mapToInt(ExportedLun::number).findFirst().orElse(Integer.MAX_VALUE);
    return broken.isEmpty() ? exported : Math.min(exported, broken.firstKey());
  }

  /// Returns the numbers of the LUNs that this process created.
  public Set<Integer> created() {
    return created;
  }

  /// Stops the publication of LUNs.
  public void cancel() {
    cancelled.countDown();
  }

  /// Waits for [#cancel].
  ///
  /// @return false on time-out
  public boolean awaitCancelled(Duration time) throws InterruptedException {
    return cancelled.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// Runs an action with the monitor held, so that no LUN is published during the action.
  public synchronized void exclusively(Runnable work) {
    work.run();
  }

  public boolean isCancelled() {
    return cancelled.getCount() == 0;
  }

  /// Publishes a new LUN.
  ///
  /// @throws IOException if the files of the LUN cannot be written, or after [#cancel]
  public synchronized void publish(WantedLun wanted, int number, CachedImage image)
      throws IOException {
    requireNotCancelled();
    created.add(number);
    LunRequest request = wanted.request();
    LunRecord record = LunRecord.anew(number, image.key(), request.words(), wanted.by());
    Path home = directory.create(number);
    ExportedLun lun = new LunMedia(record, request, image, home, settings, observer).export();
    try {
      directory.write(record);
    } catch (Throwable e) {
      lun.close();
      throw e;
    }
    offer(lun);
  }

  private void offer(ExportedLun lun) {
    exports.add(lun);
    lun.image().onDiscredit(e -> discredit(lun, e));
    if (lun.request().copy() == CopyMode.CLONE
        && lun.record().cloned() == null
        && lun.unit().medium() instanceof OverlayMedium overlay) {
      LunClone clone =
          new LunClone(
              lun,
              overlay,
              cancelled,
              settings.arrivalTimeout(),
              this::noteWhole,
              it -> images.release(it.image()));
      Thread.ofVirtual().name("clone-lun-" + lun.number()).start(clone);
    }
  }

  /// Marks a LUN as failed because the content of the LUN's image is or may be wrong. Logs out the
  /// LUN's initiators.
  private void discredit(ExportedLun lun, IOException cause) {
    String reason = Reason.of(cause);
    failures.accept(cause, lun.number());
    lun.fail(reason);
    exports.dropSessions(lun, reason);
    noteDiscredit(lun, reason);
  }

  private synchronized void noteDiscredit(ExportedLun lun, String reason) {
    try {
      // The overlay may contain wrong content of the image: in blocks that were copied from the
      // image, and in blocks of which initiators wrote only a part.
      if (!isCancelled() && directory.wasWritten(lun.number())) {
        directory.write(lun.record().discreditedBy(reason));
      }
    } catch (IOException e) {
      LOG.errorf("Noting that the LUN cannot be trusted: lun=%d: %s", lun.number(), Reason.of(e));
    }
  }

  private synchronized void noteWhole(ExportedLun lun) throws IOException {
    requireNotCancelled();
    directory.write(lun.record().clonedFrom(Objects.requireNonNull(lun.image().description())));
  }

  private void requireNotCancelled() throws IOException {
    if (isCancelled()) {
      throw new IOException("The volume was deleted");
    }
  }

  /// Withdraws a failed LUN. The data that was written to the LUN stays stored under the LUN's
  /// number until the volume is deleted.
  public void withdraw(ExportedLun lun) {
    if (!unexport(lun)) {
      return;
    }
    if (lun.request().writesToImage()) {
      images.disclaim(lun.image());
    }
    images.release(lun.image());
  }

  private synchronized boolean unexport(ExportedLun lun) {
    if (isCancelled() || !exports.luns().contains(lun)) {
      return false;
    }
    exports.withdraw(lun);
    try {
      if (directory.wasWritten(lun.number())) {
        broken.put(
            lun.number(), Objects.requireNonNullElse(lun.image().reason(), "its image was lost"));
      } else {
        directory.remove(lun.number());
        exports.giveBack(lun.number());
      }
    } catch (IOException e) {
      LOG.errorf("Removing a failed LUN: lun=%d: %s", lun.number(), Reason.of(e));
      broken.put(lun.number(), Reason.of(e));
    }
    return true;
  }

  /// Exports a LUN again after a restart. Does nothing after [#cancel].
  synchronized void exportAgain(WantedLun wanted) throws IOException {
    if (isCancelled()) {
      return;
    }
    LunRequest request = wanted.request();
    LunRecord record = wanted.before();
    ImageRecord cloned = record.cloned();
    Path home = directory.home(record.lun());
    CachedImage image =
        cloned != null
            ? CachedImage.ofClone(cloned, home)
            : images
                .reopen(record.image(), request.disk())
                .orElseThrow(() -> new IOException("its image no longer exists"));
    ExportedLun lun = null;
    try {
      lun = new LunMedia(record, request, image, home, settings, observer).export();
    } finally {
      if (lun == null && cloned == null) {
        images.putBack(image);
      }
    }
    if (request.writesToImage()) {
      images.claimed(image);
    }
    note(wanted, record);
    offer(lun);
  }

  /// Writes the LUN's record if it has changed. If writing fails, the LUN is exported nevertheless,
  /// because the stored record describes the same disk.
  private void note(WantedLun wanted, LunRecord record) {
    if (record.equals(wanted.earlier())) {
      return;
    }
    try {
      directory.write(record);
    } catch (IOException e) {
      LOG.warnf("Noting how the LUN is exported: lun=%d: %s", record.lun(), Reason.of(e));
    }
  }
}
