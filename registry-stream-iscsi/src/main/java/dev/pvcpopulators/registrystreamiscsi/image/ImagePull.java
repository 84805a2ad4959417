package dev.pvcpopulators.registrystreamiscsi.image;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.pipeline.DiskImport;
import dev.pvcpopulators.diskimage.pipeline.ImportListener;
import dev.pvcpopulators.diskimage.pipeline.ImportedImage;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.iscsitarget.medium.ArrivingMedium;
import dev.pvcpopulators.iscsitarget.medium.DiskFiles;
import dev.pvcpopulators.iscsitarget.medium.MediumFullException;
import dev.pvcpopulators.iscsitarget.medium.StorageLostException;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.kit.source.SearchedLayers;
import dev.pvcpopulators.registry.BlobOpener;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.disk.DiskSearch;
import dev.pvcpopulators.registry.disk.FoundDisk;
import dev.pvcpopulators.registry.disk.SearchListener;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.registrystreamiscsi.storage.Documents;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Pulls one image into the cache, with retries.
///
/// ```
/// blob (GET, digest) ─▶ decompress ─▶ tar ─▶ decompress ─▶ decode ─▶ ArrivingMedium ─▶ readers
/// ```
///
/// If the retries of a transfer fail, the pull starts again after a pause. If the service restarts,
/// the pull starts again in the new process. If a layer comes from a registry, its transfer resumes
/// after the bytes that were logged ([ResumableBlobs]). While the pull runs or pauses, a read of
/// missing data waits for the data, and ends with BUSY if its time limit passes first. The pull
/// fails if it makes no progress for the configured time; then reads of missing data fail, and
/// present data can still be read. The pull fails at once on malformed content, an unsupported
/// feature, a digest mismatch or a loss of the storage. Every failure before the size of the disk
/// is known also ends the pull at once.
public final class ImagePull implements Runnable {
  private static final Logger LOG = Logger.getLogger(ImagePull.class);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

  private final CachedImage cached;
  private final ChosenDisk chosen;
  private final Environment environment;
  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  // Only the pulling thread uses the fields below, except `source`, which this object's monitor
  // guards.
  private boolean logging = true;
  private boolean searching;
  private boolean slot;
  private boolean deferred;
  private @Nullable Found found;
  private @Nullable Transfer counted;
  private @Nullable ImageSource source;

  /// The resources shared by all pulls.
  ///
  /// @param headers limits how many pulls search for their disk's header at the same time
  /// @param slots limits how many pulls continue after the header at the same time; each such pull
  ///   holds buffers and a decoder's window
  /// @param farDistance a distance in bytes; if a read is further ahead of the pull than this
  ///   distance, the data of the read is fetched separately
  /// @param giveUpAfter how long a pull is retried without progress
  /// @param total receives the size of each layer when the pull of the layer begins; a negative
  ///   number if layers will be pulled again
  /// @param received receives the number of bytes that were transferred, or were read from a
  ///   layer's log; negative for bytes that will be counted again
  /// @param written receives the number of decoded bytes
  public record Environment(
      RegistryAccess registries,
      Semaphore headers,
      Semaphore slots,
      long farDistance,
      Duration giveUpAfter,
      LongConsumer total,
      LongConsumer received,
      LongConsumer written) {}

  /// An image with a known manifest.
  ///
  /// @param source owned by the holder of this record
  record Found(Image image, ImageSource source) {}

  /// Creates a pull that does not run yet.
  ///
  /// @param found the image if its manifest is known; [#run] or [#cancel] closes the image's source
  ImagePull(CachedImage cached, ChosenDisk chosen, Environment environment, @Nullable Found found) {
    this.cached = cached;
    this.chosen = chosen;
    this.environment = environment;
    this.found = found;
    this.source = found == null ? null : found.source();
  }

  /// Starts the pull of a new image, of which only the manifest is known.
  static void begin(CachedImage cached, ChosenDisk chosen, Environment environment, Found found) {
    start(new ImagePull(cached, chosen, environment, found));
  }

  /// Continues the pull of an image that was exported before a restart. Opens its disk at once, so
  /// that present data can be read.
  static void resume(
      CachedImage cached, ChosenDisk chosen, Environment environment, ImageRecord record)
      throws IOException {
    ImagePull pull = new ImagePull(cached, chosen, environment, null);
    pull.open(record);
    start(pull);
  }

  private static void start(ImagePull pull) {
    pull.cached.pulledBy(pull);
    Thread.ofVirtual().name("image-pull-" + pull.cached.key()).start(pull);
  }

  /// Cancels the pull; pulled data stays.
  void cancel() {
    cancelled.countDown();
    ImageSource running;
    synchronized (this) {
      running = source;
    }
    if (running != null) {
      try {
        running.close();
      } catch (IOException e) {
        LOG.warnf("Cancelling a pull: its source does not close: %s", Reason.of(e));
      }
    }
  }

  /// Returns whether the pull has ended and no longer changes files.
  boolean isEnded() {
    return ended.getCount() == 0;
  }

  /// Waits for the end of the pull.
  ///
  /// @return false on time-out
  boolean awaitEnd(Duration limit) throws InterruptedException {
    return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void run() {
    Duration pause = FIRST_PAUSE;
    long progress = System.nanoTime();
    try {
      while (isWanted()) {
        long before = cached.presentBytes();
        try {
          pullOnce();
          return;
        } catch (IOException e) {
          if (deferred && isWanted() && isOpen()) {
            if (!awaitSlot()) {
              return;
            }
            cached.pulling();
            continue;
          }
          if (isOpen() && arriving().isComplete()) {
            // The image is complete and verified, but recording this state in the disk's map
            // failed.
            LOG.warnf(
                "The next start pulls the image again: key=%s: %s", cached.key(), Reason.of(e));
            cached.complete();
            return;
          }
          if (!isWanted() || isFinal(e)) {
            return;
          }
          if (cached.presentBytes() > before) {
            pause = FIRST_PAUSE;
            progress = System.nanoTime();
          } else if (System.nanoTime() - progress > environment.giveUpAfter().toNanos()) {
            giveUp(e);
            return;
          } else {
            pause = longer(pause);
          }
          if (e instanceof MediumFullException) {
            logging = false;
            removeLogs();
          }
          cached.waiting(e);
          LOG.warnf(
              "The pull failed and restarts in %d s: image=%s: %s",
              pause.toSeconds(), chosen.reference(), Reason.of(e));
        }
        if (cancelled.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
        cached.pulling();
      }
    } catch (InterruptedException e) {
      giveUp(new IOException("The pull was interrupted", e));
    } catch (RuntimeException | Error e) {
      LOG.error("Pulling ended in a defect: image=" + chosen.reference(), e);
      end(new IOException("Pulling the image ended in a defect; the log has it", e));
    } finally {
      releaseSlot();
      ended.countDown();
    }
  }

  private void giveUp(IOException e) {
    LOG.errorf(
        "The pull was given up; the next start continues it: image=%s: %s",
        chosen.reference(), Reason.of(e));
    ArrivingMedium medium = cached.arriving();
    if (medium != null) {
      medium.fail(e);
    }
    cached.fail(e);
  }

  /// Removes the disk and the logs, because wrong content in them would make a later pull fail.
  private void removeAll() {
    removeLogs();
    try {
      cached.files().remove();
    } catch (IOException e) {
      LOG.warnf("Removing a wrong disk: key=%s: %s", cached.key(), Reason.of(e));
    }
  }

  private void removeLogs() {
    try {
      Documents.remove(cached.logs());
    } catch (IOException e) {
      LOG.warnf("Removing the logs of layers: key=%s: %s", cached.key(), Reason.of(e));
    }
  }

  private void releaseSlot() {
    if (slot) {
      slot = false;
      environment.slots().release();
    }
  }

  /// Waits for a slot to continue the pull, which was interrupted after the header.
  ///
  /// @return whether the pull has a slot; false if it was cancelled
  private boolean awaitSlot() throws InterruptedException {
    LOG.infof("The pull waits for another pull to end: image=%s", chosen.reference());
    while (isWanted()) {
      if (environment.slots().tryAcquire(1, TimeUnit.SECONDS)) {
        slot = true;
        return true;
      }
    }
    return false;
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }

  private boolean isWanted() {
    return cancelled.getCount() > 0;
  }

  private boolean isOpen() {
    return cached.arriving() != null;
  }

  private ArrivingMedium arriving() {
    return Objects.requireNonNull(cached.arriving(), "The disk's size is not known yet");
  }

  /// Returns whether the pull must end without a retry; if so, ends it.
  private boolean isFinal(IOException e) {
    if (e instanceof StorageLostException) {
      // The storage failed, not the image; the next start of the service pulls the image again.
      LOG.errorf(
          "The image cannot be read until the next start: image=%s: %s",
          chosen.reference(), Reason.of(e));
      cached.fail(e);
      return true;
    }
    boolean bad =
        e instanceof DigestMismatchException
            || e instanceof MalformedImageException
            || e instanceof UnsupportedFeatureException
            || (isOpen() && arriving().isDiscredited());
    if (bad || !isOpen()) {
      end(e);
      return true;
    }
    return false;
  }

  private void end(IOException e) {
    if (!isWanted()) {
      // The pull was cancelled, and the exception results from closing its source or its disk. The
      // pulled data stays.
      return;
    }
    if (isOpen()) {
      // The image has wrong content, or a defect of this program may have made its content wrong.
      // Initiators may have read this content.
      LOG.errorf(
          "The image was discarded: image=%s digest=%s: %s",
          chosen.reference(), cached.source(), Reason.of(e));
      arriving().discredit(e);
      removeAll();
      cached.discredit(e);
    } else {
      cached.fail(e);
    }
  }

  private void pullOnce() throws IOException, InterruptedException {
    deferred = false;
    searching = !slot;
    if (searching) {
      environment.headers().acquire();
    }
    try (ImageSource pulled = source()) {
      if (isOpen()) {
        // An earlier attempt, in this process or in an earlier process, may have delivered a part
        // of the disk. This attempt delivers the disk from its beginning.
        arriving().restart();
      }
      Image image = image(pulled);
      SearchedLayers layers = new SearchedLayers(image.manifest().layers());
      cached.pulls(layers);
      Transfer transfer = count(layers);
      try (layers;
          FoundDisk disk = DiskSearch.find(image, blobs(pulled), chosen.path(), transfer);
          FarFetch far = new FarFetch(pulled.blobs(), disk);
          ArrivingSink sink =
              new ArrivingSink(
                  size -> open(image, size, far), cached.directory().resolve("staging"))) {
        layers.found();
        LOG.infof(
            "Found the disk: image=%s digest=%s layer=%s path=%s",
            chosen.reference(), image.digest(), disk.layer().digest(), Quoted.of(disk.path()));
        ImportedImage imported = decode(disk, sink, far);
        layers.finish();
        arriving().complete();
        removeLogs();
        cached.complete();
        LOG.infof(
            "The image is complete: image=%s digest=%s format=%s virtualSize=%d",
            chosen.reference(),
            image.digest(),
            imported.format().wrappedIn(imported.wrapping()),
            imported.virtualSize());
      }
    } finally {
      if (searching) {
        environment.headers().release();
      }
      releaseSlot();
    }
  }

  /// Returns the store of the image's layers. This store keeps logs of layers that come from a
  /// registry, unless the storage was full in an earlier attempt.
  private BlobOpener blobs(ImageSource pulled) throws IOException {
    return logging && chosen.reference() instanceof SourceReference.Remote
        ? new ResumableBlobs(pulled.blobs(), cached.logs())
        : pulled.blobs();
  }

  private ImportedImage decode(FoundDisk disk, ArrivingSink sink, FarFetch far)
      throws IOException, InterruptedException {
    Decoding listener = new Decoding(far, environment.written());
    try {
      return DiskImport.stream(
          disk.openUntilJudged(), disk.length(), sink, chosen.format(), listener);
    } catch (MalformedImageException e) {
      throw disk.judged(e);
    }
  }

  /// Continues the pull after the header of the disk image if a slot is free. Otherwise ends this
  /// attempt with an exception, so that the pull holds neither a connection nor a decoder while it
  /// waits. The present part of the disk can be read already.
  private void goOn() throws IOException {
    if (slot) {
      return;
    }
    slot = environment.slots().tryAcquire();
    if (!slot) {
      deferred = true;
      throw new IOException("The pull waits for another pull to end");
    }
    searching = false;
    environment.headers().release();
  }

  /// Returns the image's source. In the first attempt, returns the source that the caller opened,
  /// if there is one. Otherwise, opens a new source of the same manifest.
  private ImageSource source() throws IOException {
    Found first = found;
    ImageSource opened = first != null ? first.source() : openAgain();
    synchronized (this) {
      source = opened;
    }
    if (!isWanted()) {
      opened.close();
      throw new IOException("The pull was cancelled");
    }
    return opened;
  }

  private ImageSource openAgain() throws IOException {
    try {
      return environment.registries().open(chosen.image().at(pinned()));
    } catch (VolumeException e) {
      throw new IOException(e.failure().detail(), e);
    }
  }

  /// Returns the image's reference. For an image in a registry, the reference includes the recorded
  /// digest of the manifest, if there is one, because the tag may now refer to another manifest.
  private SourceReference pinned() {
    ImageRecord record = cached.description();
    return record != null && chosen.reference() instanceof SourceReference.Remote remote
        ? new SourceReference.Remote(
            remote.registry(), remote.repository(), remote.tag(), Optional.of(record.digest()))
        : chosen.reference();
  }

  private Image image(ImageSource pulled) throws IOException {
    Found first = found;
    if (first != null) {
      found = null;
      return first.image();
    }
    Image image = pulled.resolve(chosen.image().choice());
    if (!image.digest().toString().equals(cached.source())) {
      throw new UnsupportedFeatureException(
          "%s: expected the manifest %s that is being exported, found %s"
              .formatted(chosen.reference(), cached.source(), image.digest()));
    }
    return image;
  }

  private ArrivingMedium open(Image image, long virtualSize, FarFetch far) throws IOException {
    if (!isOpen()) {
      open(
          new ImageRecord(
              chosen.reference().toString(),
              ImageOrigin.of(chosen.image()),
              image.digest(),
              chosen.selection(),
              ImageRecord.blocks(virtualSize)));
    }
    ArrivingMedium medium = arriving();
    if (medium.length() != ImageRecord.blocks(virtualSize)) {
      throw new MalformedImageException(
          "disk", -1, "expected " + medium.length() + " bytes as before, found " + virtualSize);
    }
    goOn();
    far.serve(medium);
    cached.fetchedBy(far);
    return medium;
  }

  private void open(ImageRecord record) throws IOException {
    DiskFiles files = cached.files();
    long far = environment.farDistance();
    Optional<ArrivingMedium> partial =
        ArrivingMedium.openPartial(files, record.length(), record.key(), cached, far);
    ArrivingMedium medium =
        partial.isPresent()
            ? partial.get()
            : ArrivingMedium.create(files, record.length(), record.key(), cached, far);
    try {
      Documents.write(cached.directory(), CachedImage.RECORD, record.document());
      cached.open(medium, record);
    } catch (Throwable e) {
      try (medium) {
        throw e;
      }
    }
  }

  /// Begins to count the transfer of a new attempt, and removes the count of the previous attempt.
  private Transfer count(SearchedLayers layers) {
    Transfer before = counted;
    if (before != null) {
      before.end();
    }
    Transfer transfer = new Transfer(layers);
    counted = transfer;
    return transfer;
  }

  /// Counts the transferred bytes of one attempt. Thread-safe.
  private final class Transfer implements SearchListener {
    private final SearchedLayers layers;
    private long received;
    private long total;
    private boolean ended;

    Transfer(SearchedLayers layers) {
      this.layers = layers;
    }

    @Override
    public synchronized void layer(Descriptor layer, int fromTop) {
      layers.layer(layer, fromTop);
      total += layer.size();
      environment.total().accept(layer.size());
    }

    @Override
    public synchronized void received(long bytes) {
      layers.received(bytes);
      // The last bytes of an ended transfer may be reported late.
      if (!ended) {
        received += bytes;
        environment.received().accept(bytes);
      }
    }

    @Override
    public synchronized void restarted() {
      layers.restarted();
      uncount();
    }

    /// Removes the counted bytes from the counters, because the next attempt counts all bytes
    /// again.
    synchronized void end() {
      ended = true;
      uncount();
    }

    private void uncount() {
      environment.received().accept(-received);
      environment.total().accept(-total);
      received = 0;
      total = 0;
    }
  }

  private record Decoding(FarFetch far, LongConsumer written) implements ImportListener {
    @Override
    public void recognised(ImageFormat format, List<String> wrapping) {
      far.recognised(format, wrapping);
    }

    @Override
    public void decoded(long bytes) {
      written.accept(bytes);
    }
  }
}
