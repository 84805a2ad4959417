package dev.pvcpopulators.registrystreamiscsi.image;

import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The images of one volume's LUNs: opens them, waits for them, releases them. Thread-safe.
public final class VolumeImages {
  private static final Logger LOG = Logger.getLogger(VolumeImages.class);

  private final ImagePull.Environment environment;
  private final ImageCache cache;
  private final boolean whenComplete;
  private final Set<ImageSource> opening = ConcurrentHashMap.newKeySet();

  /// Images that a LUN writes to, or will write to once it exists.
  private final Set<CachedImage> written = ConcurrentHashMap.newKeySet();

  private volatile boolean cancelled;

  /// Creates the images of one volume.
  ///
  /// @param whenComplete whether an image can be used only when it is complete
  public VolumeImages(ImagePull.Environment environment, ImageCache cache, boolean whenComplete) {
    this.environment = environment;
    this.cache = cache;
    this.whenComplete = whenComplete;
  }

  /// Returns the disk of a LUN, and begins its pull if necessary.
  ///
  /// @return an image in use by the caller, which must release it
  public CachedImage obtain(ChosenDisk chosen) throws IOException, VolumeException {
    ImageSource source = environment.registries().open(chosen.image());
    opening.add(source);
    boolean handed = false;
    try {
      if (cancelled) {
        throw new IOException("The volume was deleted");
      }
      Image image = source.resolve(chosen.image().choice());
      handed = true;
      return cache.obtain(chosen, image, source);
    } finally {
      opening.remove(source);
      if (!handed) {
        source.close();
      }
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

  /// Claims the image's own copy for a LUN's writes. A second LUN that writes to it would mix their
  /// data.
  public void claim(CachedImage image, ChosenDisk chosen) throws VolumeException {
    if (!written.add(image)) {
      throw VolumeException.invalid(
          "Making a LUN of "
              + chosen.reference()
              + ": expected a copy mode other than none, or read-shared, since another LUN"
              + " writes to the same image; found copy mode none");
    }
  }

  /// Records that an existing LUN writes to an image.
  public void claimed(CachedImage image) {
    written.add(image);
  }

  /// Releases a claim.
  public void disclaim(CachedImage image) {
    written.remove(image);
  }

  /// Opens an image as [ImageCache#reopen].
  public Optional<CachedImage> reopen(String key, ChosenDisk chosen) throws IOException {
    return cache.reopen(key, chosen);
  }

  /// Ends a use as [ImageCache#putBack].
  public void putBack(CachedImage image) {
    try {
      cache.putBack(image);
    } catch (IOException e) {
      LOG.warnf("Closing an image: key=%s: %s", image.key(), Reason.of(e));
    }
  }

  /// Returns the layers as [ImageCache#layers].
  public List<Part> layers() {
    return cache.layers();
  }

  /// Ends a use of an image, as [ImageCache#release].
  public void release(@Nullable CachedImage image) {
    if (image != null) {
      try {
        cache.release(image);
      } catch (IOException e) {
        LOG.warnf("Removing an image: key=%s: %s", image.key(), Reason.of(e));
      }
    }
  }

  /// Cancels running work: transfers end with an exception.
  public void cancel() {
    cancelled = true;
    for (ImageSource source : opening) {
      try {
        source.close();
      } catch (IOException e) {
        LOG.warnf("Cancelling: a source does not close: %s", Reason.of(e));
      }
    }
    cache.cancel();
  }

  /// Closes all images; stored data stays.
  public void close() {
    cache.close();
  }

  /// Removes all images, after [#close].
  public void removeAll() throws IOException {
    cache.removeAll();
  }
}
