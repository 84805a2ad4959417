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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// A cache of pulled disks, one for each image, shared by its LUNs. Thread-safe.
public final class ImageCache {
  private static final Logger LOG = Logger.getLogger(ImageCache.class);

  private final Path directory;
  private final ImagePull.Environment environment;
  private final ReentrantLock lock = new ReentrantLock();

  /// Modified with the lock held, which can take long because files are removed; read without it.
  private final Map<String, CachedImage> images = new ConcurrentSkipListMap<>();

  /// Creates a cache.
  ///
  /// @param directory created if it does not exist
  public ImageCache(Path directory, ImagePull.Environment environment) {
    this.directory = directory;
    this.environment = environment;
  }

  /// Returns the disk of an image: one of the same origin; else a complete one of another
  /// repository in the same registry, if the registry grants the caller access to its layers; else
  /// a new one, and begins its pull.
  ///
  /// @param source owned by this cache from now on
  /// @return an image in use by the caller, which must release it
  CachedImage obtain(ChosenDisk chosen, Image image, ImageSource source) throws IOException {
    ImageOrigin origin = ImageOrigin.of(chosen.image());
    String key = ImageRecord.key(image, chosen.selection(), origin);
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
    lock.lock();
    try {
      CachedImage known = images.get(key);
      if (known != null && known.state() != CachedImage.State.FAILED) {
        source.close();
        known.use(1);
        return known;
      }
      CachedImage made = new CachedImage(key, directory.resolve(key));
      Documents.remove(made.directory());
      var _ = Documents.directory(made.directory());
      made.source(image.digest().toString());
      made.use(1);
      images.put(key, made);
      ImagePull.begin(made, chosen, environment, new ImagePull.Found(image, source));
      return made;
    } finally {
      lock.unlock();
    }
  }

  /// Returns a complete image of another repository in the caller's registry, if the caller's own
  /// origin has none.
  ///
  /// @return an image in use by the caller, which must release it
  private @Nullable CachedImage completeElsewhere(
      String key, ChosenDisk chosen, Image image, ImageOrigin origin) {
    lock.lock();
    try {
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
    } finally {
      lock.unlock();
    }
  }

  /// Returns whether the registry grants the caller access to the image's layers. Knowing the
  /// manifest is no proof of that.
  private static boolean grants(ImageSource source, Image image) {
    try {
      for (Descriptor layer : image.manifest().layers()) {
        if (!source.blobs().has(layer)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      // The image's own pull reports what is wrong with the registry, and retries.
      LOG.warnf("Not sharing an image: digest=%s: %s", image.digest(), Reason.of(e));
      return false;
    }
  }

  /// Returns the disk that a LUN exported before a restart. An incomplete pull continues with the
  /// same digest.
  ///
  /// @return an image in use by the caller, which must release it; empty if the image is unknown
  Optional<CachedImage> reopen(String key, ChosenDisk chosen) throws IOException {
    lock.lock();
    try {
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
    } finally {
      lock.unlock();
    }
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
          "it shows the disk %s of its image, but the settings now request %s"
              .formatted(record.selection(), chosen.selection()));
    }
    CachedImage image = new CachedImage(key, directory.resolve(key));
    Optional<Medium> complete = ArrivingMedium.openComplete(image.files(), record.identity());
    if (complete.isPresent()) {
      image.openComplete(complete.get(), record);
      Documents.remove(image.logs());
      LOG.infof("Found the image: image=%s digest=%s", record.reference(), record.digest());
    } else {
      if (!record.continuedBy(chosen)) {
        throw new IOException(
            "its image was being pulled from "
                + record.reference()
                + ", which is not the directory of the LUN's image");
      }
      ImagePull.resume(image, chosen, environment, record);
      LOG.infof("Continuing the pull: image=%s digest=%s", record.reference(), record.digest());
    }
    return image;
  }

  /// Returns the layers of all images that are being pulled.
  List<Part> layers() {
    return images.values().stream().flatMap(it -> it.layers().stream()).toList();
  }

  /// Ends a use. An image without users is closed and removed, unless its directory belongs to a
  /// later pull by now, or, after [#close], to a later cache.
  void release(CachedImage image) throws IOException {
    lock.lock();
    try {
      if (image.use(-1) > 0) {
        return;
      }
      boolean ours = images.remove(image.key(), image);
      image.close();
      if (ours) {
        Documents.remove(image.directory());
      }
    } finally {
      lock.unlock();
    }
  }

  /// Ends a use and keeps the stored data for another [#reopen]. An image without users is closed.
  void putBack(CachedImage image) throws IOException {
    lock.lock();
    try {
      if (image.use(-1) == 0) {
        images.remove(image.key(), image);
        image.close();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Closes all images and keeps their files for the next start.
  void close() {
    List<CachedImage> all;
    lock.lock();
    try {
      all = new ArrayList<>(images.values());
      images.clear();
    } finally {
      lock.unlock();
    }
    for (CachedImage image : all) {
      try {
        image.close();
      } catch (IOException e) {
        LOG.warnf("Closing an image of the cache: key=%s: %s", image.key(), Reason.of(e));
      }
    }
  }

  /// Cancels all pulls; threads that wait for them get an exception.
  void cancel() {
    lock.lock();
    try {
      images.values().forEach(CachedImage::cancel);
    } finally {
      lock.unlock();
    }
  }

  /// Removes all images, after [#close].
  void removeAll() throws IOException {
    Documents.removeAllBut(directory, List.of());
  }
}
