package dev.pvcpopulators.httpcopy;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.pipeline.DiskImport;
import dev.pvcpopulators.diskimage.pipeline.ImportedImage;
import dev.pvcpopulators.diskimage.pipeline.RepeatableSource;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.http.Backoff;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.http.Transfer;
import dev.pvcpopulators.http.file.Checksum;
import dev.pvcpopulators.http.file.DownloadSession;
import dev.pvcpopulators.http.file.FileChangedException;
import dev.pvcpopulators.http.file.FileDownload;
import dev.pvcpopulators.kit.disk.CopySettings;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.disk.ExistingDisk;
import dev.pvcpopulators.kit.disk.ImportProgress;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/// Downloads a file that contains a disk, and writes the disk to a volume.
///
/// ```
/// file (GET, Range, checksum) ─▶ decompress (0–4 times) ─▶ decode ─▶ VolumeWriter
/// ```
///
/// The file is read in one pass, unless [DiskImport] must read a qcow2 image again. After a lost
/// connection, the copy continues with a range request. If a range request is not possible, the
/// copy starts again with an empty disk.
final class Copy {
  private static final Logger LOG = Logger.getLogger(Copy.class);

  private final CopyRequest asked;
  private final HttpCopySettings settings;
  private final DiskVolume volume;
  private final Progress progress;
  private final Cancellation cancellation;
  private final CopyReport report;

  /// Bytes received since the file was last opened; counted by the thread that reads the file.
  private final AtomicLong received = new AtomicLong();

  Copy(
      CopyRequest asked,
      HttpCopySettings settings,
      DiskVolume volume,
      Progress progress,
      Cancellation cancellation) {
    this.asked = asked;
    this.settings = settings;
    this.volume = volume;
    this.progress = progress;
    this.cancellation = cancellation;
    this.report = new CopyReport(asked.url());
  }

  /// Copies the disk, unless the volume contains it already. A cancelled copy throws an
  /// `IOException` or a `VolumeException`.
  ///
  /// @throws IOException if any step fails. No incomplete disk is visible after this exception, but
  ///   an old disk that the copy replaces may be deleted already
  /// @throws VolumeException if the volume contains another disk that must not be replaced, or if
  ///   it contains the requested disk, but this disk is not proven to be unchanged
  void run(DownloadSession session) throws IOException, VolumeException {
    Optional<DiskRecord> present = volume.recorded();
    if (present.isEmpty()) {
      volume.requireVacant();
    }
    try (Registration _ = cancellation.onCancel(() -> abort(session))) {
      int restarts = 0;
      while (true) {
        try {
          attempt(present, session);
          return;
        } catch (FileChangedException e) {
          restart(++restarts, e, session);
        }
      }
    }
  }

  private void attempt(Optional<DiskRecord> present, DownloadSession session)
      throws IOException, VolumeException {
    // Each attempt reads the checksum again, because the list of checksums changes together with
    // the disk's file.
    Optional<Checksum> expected = expected(session, asked);
    expected.ifPresent(checksum -> progress.details(report.expected(checksum)));
    if (expected.isPresent() && skip(present, record -> asked.made(expected.get(), record))) {
      return;
    }
    try (FileDownload file = open(session, asked, expected, this::received)) {
      progress.details(report.opened(file.head()));
      if (expected.isEmpty() && skip(present, record -> asked.made(file.head(), record))) {
        return;
      }
      volume.requireVacant();
      copy(file);
    }
  }

  /// Returns the checksum that the file must have. If `asked` names a list of checksums, reads the
  /// checksum from that list. Otherwise returns the checksum in `asked`; empty if there is none.
  static Optional<Checksum> expected(DownloadSession session, CopyRequest asked)
      throws IOException {
    return asked.checksums().isPresent()
        ? Optional.of(session.checksum(asked.checksums().get(), asked.url().fileName()))
        : asked.checksum();
  }

  /// Requests the file. The caller must close the result. Refuses an HTML page if no checksum is
  /// expected, because only a checksum can prove that the page is the disk.
  static FileDownload open(
      DownloadSession session,
      CopyRequest asked,
      Optional<Checksum> expected,
      LongConsumer received)
      throws IOException {
    FileDownload file = FileDownload.open(session, asked.url(), expected, received);
    if (expected.isEmpty() && file.head().type().equalsIgnoreCase("text/html")) {
      file.close();
      throw new UnsupportedFeatureException(
          "the server sends a page (text/html), such as a login page or a directory"
              + " listing; expected a disk. If it is a disk, configure its checksum");
    }
    return file;
  }

  /// Returns whether to skip the copy: true if the volume already contains the disk and the
  /// settings do not force a copy. If true, reports the existing disk.
  ///
  /// @throws VolumeException if the disk was changed, or if it is unknown whether it was changed
  private boolean skip(Optional<DiskRecord> present, Predicate<DiskRecord> made)
      throws IOException, VolumeException {
    if (settings.force() || present.filter(made).isEmpty()) {
      return false;
    }
    ExistingDisk existing =
        ExistingDisk.check(volume, settings.verify(), cancellation)
            .orElseThrow(() -> new IOException("The disk disappeared while it was checked"));
    existing.require(volume.path(), Downloads.PREFIX);
    existing.tell(progress);
    progress.sourceDigest(existing.record().sourceDigest());
    progress.details(report.skipped(existing));
    LOG.infof(
        "The volume holds this disk already: volume=%s url=%s digest=%s verified=%s",
        volume.path(), asked.url(), existing.record().sourceDigest(), existing.verified());
    return true;
  }

  private void copy(FileDownload file) throws IOException {
    file.head().size().ifPresent(progress::total);
    LOG.infof(
        "Reading a file: url=%s bytes=%d resumes=%s",
        asked.url(), file.head().size().orElse(-1), file.head().validator().isPresent());
    try (VolumeWriter writer = volume.open(settings.verify() == CopySettings.Verify.CONTENT);
        Registration _ = cancellation.onCancel(writer::cancel)) {
      ImportedImage imported =
          DiskImport.run(new Reads(file), writer, asked.format(), new ImportProgress(progress));
      Checksum checksum =
          file.checksum().orElseThrow(() -> new IOException("The file was not read to its end"));
      progress.virtualSize(imported.virtualSize());
      progress.sourceDigest(checksum.toString());
      progress.finalizing();
      writer.publish(
          new Origin(checksum.toString(), asked.url().toString(), asked.selection(file.head())),
          imported.format());
      progress.details(report.written(writer.bytesWritten(), imported.content()));
      LOG.infof(
          "The volume is ready: volume=%s url=%s digest=%s format=%s virtualSize=%d bytes=%d",
          volume.path(),
          asked.url(),
          checksum,
          imported.format().wrappedIn(imported.wrapping()),
          imported.virtualSize(),
          writer.bytesWritten());
    }
  }

  /// Waits before the next attempt. Throws an exception if no attempt is left.
  private void restart(int restarts, FileChangedException reason, DownloadSession session)
      throws IOException, VolumeException {
    cancellation.check();
    if (restarts > settings.retries()) {
      throw new SourceUnavailableException(
          "Cannot read "
              + asked.url()
              + ", gave up after "
              + restarts
              + (restarts == 1 ? " attempt: " : " attempts from its first byte on: ")
              + reason.getMessage(),
          reason);
    }
    Duration delay = Backoff.DEFAULT.delay(restarts);
    LOG.warnf(
        "The copy restarts: url=%s reason=%s attempt=%d of=%d seconds=%d",
        asked.url(), reason.getMessage(), restarts + 1, settings.retries() + 1, delay.toSeconds());
    receivedAnew();
    progress.details(report.restarted(restarts));
    try (Transfer pause = session.begin()) {
      pause.pause(delay);
    }
  }

  private void received(long bytes) {
    received.addAndGet(bytes);
    progress.received(bytes);
  }

  /// Resets the number of received bytes, because the file is read again from its beginning.
  private void receivedAnew() {
    progress.received(-received.getAndSet(0));
  }

  /// Closes the session. If closing fails, a time-out ends the connection.
  private static void abort(DownloadSession session) {
    try {
      session.close();
    } catch (IOException e) {
      LOG.warnf("Cancelling the copy: cannot close its connections: %s", e.getMessage());
    }
  }

  /// Opens the file once for each pass of the import.
  private final class Reads implements RepeatableSource {
    private final FileDownload file;

    Reads(FileDownload file) {
      this.file = file;
    }

    @Override
    public InputStream open() throws IOException {
      receivedAnew();
      return file.open();
    }

    @Override
    public OptionalLong length() {
      return file.head().size();
    }
  }
}
