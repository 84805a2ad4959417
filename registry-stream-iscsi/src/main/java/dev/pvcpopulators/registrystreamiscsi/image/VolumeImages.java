package dev.pvcpopulators.registrystreamiscsi.image;

import dev.pvcpopulators.iscsitarget.medium.ArrivingMedium;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.registrystreamiscsi.storage.Documents;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The pulled disks of one volume. LUNs with the same manifest, selection and origin share one
/// disk. This class opens the disks, waits for them, and releases them. Thread-safe.
public final class VolumeImages {
  private static final Logger LOG = Logger.getLogger(VolumeImages.class);

  /// The maximum time to wait for cancelled pulls. A cancelled pull ends soon, unless it flushes a
  /// disk to slow storage.
  private static final Duration PULLS_END = Duration.ofSeconds(10);

  private final ImagePull.Environment environment;
  private final Path directory;
  private final boolean whenComplete;
  private final Set<ImageSource> opening = ConcurrentHashMap.newKeySet();

  /// Images that have a writable LUN of copy mode `none`, or for which such a LUN is being created.
  private final Set<CachedImage> written = ConcurrentHashMap.newKeySet();

  /// The images by key. This map is modified only with the monitor held. It is read without the
  /// monitor, because a thread that removes files can hold the monitor for a long time.
  private final Map<String, CachedImage> images = new ConcurrentSkipListMap<>();

  /// Closed images whose pull may still run.
  private final Set<CachedImage> closing = ConcurrentHashMap.newKeySet();

  private volatile boolean cancelled;

  /// Guarded by the monitor.
  private boolean closed;

  /// Creates the images of one volume.
  ///
  /// @param directory the directory of the images; created if it does not exist
  /// @param whenComplete whether an image can be used only when it is complete
  public VolumeImages(ImagePull.Environment environment, Path directory, boolean whenComplete) {
    this.environment = environment;
    this.directory = directory;
    this.whenComplete = whenComplete;
  }

  /// Returns the disk of a LUN, and begins its pull if necessary.
  ///
  /// @return an image in use by the caller, which must release it
  public CachedImage obtain(ChosenDisk chosen) throws IOException, VolumeException {
    ImageSource source = environment.registries().open(chosen.image());
    opening.add(source);
    try {
      if (cancelled) {
        throw new IOException("The volume was deleted");
      }
      Image image = source.resolve(chosen.image().choice());
      return obtain(chosen, image, source);
    } catch (Throwable e) {
      try (source) {
        throw e;
      }
    } finally {
      opening.remove(source);
    }
  }

  /// Waits until the image can be used.
  public void await(CachedImage image) throws IOException {
    try {
      var _ = image.opened().get();
      if (whenComplete) {
        var _ = image.completed().get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException known) {
        throw known;
      }
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Waiting for the image was interrupted", e);
    }
  }

  /// Reserves an image for the one LUN of copy mode `none` that may write.
  ///
  /// @throws VolumeException if another LUN has reserved the image
  public void claim(CachedImage image, ChosenDisk chosen) throws VolumeException {
    if (!written.add(image)) {
      throw VolumeException.invalid(
          "Making a LUN of "
              + chosen.reference()
              + ": expected a copy mode other than none, or read-shared, since another LUN"
              + " writes to the same image; found copy mode none");
    }
  }

  /// Records that an existing LUN of copy mode `none` has reserved an image.
  public void claimed(CachedImage image) {
    written.add(image);
  }

  /// Ends the reservation of an image by [#claim] or [#claimed].
  public void disclaim(CachedImage image) {
    written.remove(image);
  }

  /// Cancels running work. Running transfers end with an exception.
  public void cancel() {
    cancelled = true;
    for (ImageSource source : opening) {
      try {
        source.close();
      } catch (IOException e) {
        LOG.warnf("Cancelling: a source does not close: %s", Reason.of(e));
      }
    }
    synchronized (this) {
      images.values().forEach(CachedImage::cancel);
    }
  }

  /// Returns the disk of an image. If there is a disk of the same origin that has not failed,
  /// returns that disk. If not, returns a complete disk of another origin in the same registry,
  /// provided that the registry grants the caller access to the layers. If neither disk can be
  /// returned, returns a new disk and begins its pull.
  ///
  /// @param source owned by this object after the method returns; owned by the caller if the method
  ///   throws
  /// @return an image in use by the caller, which must release it
  private CachedImage obtain(ChosenDisk chosen, Image image, ImageSource source)
      throws IOException {
    ImageOrigin origin = ImageOrigin.of(chosen.image());
    String key = ImageRecord.key(image.digest(), chosen.selection(), origin);
    CachedImage shared = completeElsewhere(key, chosen, image, origin);
    if (shared != null) {
      boolean granted = false;
      try {
        granted = grants(source, image);
      } finally {
        if (!granted) {
          release(shared);
        }
      }
      if (granted) {
        source.close();
        LOG.infof(
            "Shared a complete image: image=%s digest=%s", chosen.reference(), image.digest());
        return shared;
      }
    }
    return obtain(key, chosen, new ImagePull.Found(image, source));
  }

  private synchronized CachedImage obtain(String key, ChosenDisk chosen, ImagePull.Found found)
      throws IOException {
    CachedImage known = images.get(key);
    if (known != null && known.state() != CachedImage.State.FAILED) {
      found.source().close();
      known.use(1);
      return known;
    }
    CachedImage made = new CachedImage(key, directory.resolve(key));
    Documents.remove(made.directory());
    var _ = Documents.directory(made.directory());
    made.source(found.image().digest().toString());
    made.use(1);
    images.put(key, made);
    ImagePull.begin(made, chosen, environment, found);
    return made;
  }

  /// Returns a complete disk of another origin in the same registry. Returns null if there is no
  /// such disk, or if the caller's own origin has a disk that has not failed.
  ///
  /// @return an image in use by the caller, which must release it
  private synchronized @Nullable CachedImage completeElsewhere(
      String key, ChosenDisk chosen, Image image, ImageOrigin origin) {
    CachedImage own = images.get(key);
    if (own != null && own.state() != CachedImage.State.FAILED) {
      return null;
    }
    for (CachedImage each : images.values()) {
      ImageRecord record = each.description();
      if (each.state() == CachedImage.State.COMPLETE
          && record != null
          && record.sameDisk(image, chosen.selection())
          && record.origin().sameRegistry(origin)) {
        each.use(1);
        return each;
      }
    }
    return null;
  }

  /// Returns whether the registry grants the caller access to the image's layers. A caller that
  /// knows the manifest does not necessarily have this access.
  private static boolean grants(ImageSource source, Image image) {
    try {
      for (Descriptor layer : image.manifest().layers()) {
        if (!source.blobs().has(layer)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      // If access cannot be checked, the image is pulled separately, and that pull reports the
      // registry's error.
      LOG.warnf("Not sharing an image: digest=%s: %s", image.digest(), Reason.of(e));
      return false;
    }
  }

  /// Returns the disk that a LUN exported before a restart. If its pull is incomplete, the pull
  /// continues with the same manifest digest.
  ///
  /// @return an image in use by the caller, which must release it; empty if the image is unknown
  /// @throws IOException if the disk cannot be opened, or is not the disk that the caller chose
  public synchronized Optional<CachedImage> reopen(String key, ChosenDisk chosen)
      throws IOException {
    @Nullable CachedImage known = images.get(key);
    if (known == null) {
      known = reopened(key, chosen);
      if (known == null) {
        return Optional.empty();
      }
      images.put(key, known);
    }
    known.use(1);
    return Optional.of(known);
  }

  private @Nullable CachedImage reopened(String key, ChosenDisk chosen) throws IOException {
    Path file = directory.resolve(key).resolve(CachedImage.RECORD);
    if (!Files.exists(file)) {
      return null;
    }
    ImageRecord record = ImageRecord.read(Documents.read(file));
    if (!record.key().equals(key)) {
      return null;
    }
    if (!record.selection().equals(chosen.selection())) {
      throw new IOException(
          "it exports the disk %s of its image, but the settings now request %s"
              .formatted(record.selection(), chosen.selection()));
    }
    CachedImage image = new CachedImage(key, directory.resolve(key));
    Optional<Medium> complete = ArrivingMedium.openComplete(image.files(), record.key());
    if (complete.isPresent()) {
      image.openComplete(complete.get(), record);
      Documents.remove(image.logs());
      LOG.infof("Found the image: image=%s digest=%s", record.reference(), record.digest());
    } else {
      if (!record.continuedBy(chosen)) {
        throw new IOException(
            "its image was being pulled from "
                + record.reference()
                + ", which is not the source of the LUN's image");
      }
      ImagePull.resume(image, chosen, environment, record);
      LOG.infof("Continuing the pull: image=%s digest=%s", record.reference(), record.digest());
    }
    return image;
  }

  /// Returns the layers of all images that are being pulled.
  public List<Part> layers() {
    return images.values().stream().flatMap(it -> it.layers().stream()).toList();
  }

  /// Ends one use of an image. An image without users is closed, and its directory is removed. The
  /// directory stays if it now belongs to a later pull. After [#close], every directory stays.
  public void release(@Nullable CachedImage image) {
    if (image != null && closeUnused(image)) {
      awaitPulls(List.of(image));
      removeUnused(image);
    }
  }

  /// Ends one use of an image, and closes the image if it has no users.
  ///
  /// @return whether to remove the image's directory
  private synchronized boolean closeUnused(CachedImage image) {
    if (image.use(-1) > 0) {
      return false;
    }
    boolean ours = images.remove(image.key(), image);
    close(image);
    return ours;
  }

  private synchronized void removeUnused(CachedImage image) {
    if (closed || images.containsKey(image.key())) {
      return;
    }
    try {
      Documents.remove(image.directory());
    } catch (IOException e) {
      LOG.warnf("Removing an image: key=%s: %s", image.key(), Reason.of(e));
    }
  }

  /// Ends one use of an image, and keeps its stored data for another [#reopen]. An image without
  /// users is closed.
  public synchronized void putBack(CachedImage image) {
    if (image.use(-1) == 0) {
      images.remove(image.key(), image);
      close(image);
    }
  }

  /// Closes all images and keeps their files for the next start.
  public void close() {
    List<CachedImage> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(images.values());
      images.clear();
    }
    all.forEach(this::close);
  }

  private void close(CachedImage image) {
    closing.removeIf(CachedImage::isPullEnded);
    closing.add(image);
    try {
      image.close();
    } catch (IOException e) {
      LOG.warnf("Closing an image: key=%s: %s", image.key(), Reason.of(e));
    }
  }

  /// Waits at most 10 s until the pulls of closed images have ended, so that these pulls change no
  /// files during a later removal. Callers must not hold the monitor of this object or of
  /// `LunPublication`, because a pull that finds wrong content may need the monitor of
  /// `LunPublication`.
  public void awaitPulls() {
    awaitPulls(closing);
  }

  private static void awaitPulls(Collection<CachedImage> closed) {
    long end = System.nanoTime() + PULLS_END.toNanos();
    try {
      for (CachedImage each : closed) {
        if (!each.awaitPullEnd(Duration.ofNanos(end - System.nanoTime()))) {
          LOG.warnf("The cancelled pull still runs: key=%s", each.key());
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Waits at most 10 s for the end of the pulls of closed images, then removes all images. Call
  /// [#close] first.
  public void removeAll() throws IOException {
    awaitPulls();
    Documents.removeAllBut(directory, List.of());
  }
}
