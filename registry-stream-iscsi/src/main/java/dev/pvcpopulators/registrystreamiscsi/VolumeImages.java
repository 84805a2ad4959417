package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.volume.Failure;
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
final class VolumeImages {
  private static final Logger LOG = Logger.getLogger(VolumeImages.class);

  private final RegistryStreamIscsiSettings settings;
  private final ImagePull.Environment environment;
  private final ImageCache cache;
  private final boolean whenComplete;
  private final Set<ImageSource> opening = ConcurrentHashMap.newKeySet();

  /// Images that a LUN writes to, or will write to once it exists.
  private final Set<CachedImage> written = ConcurrentHashMap.newKeySet();

  private volatile boolean cancelled;

  /// Creates the images of one volume.
  ///
  /// @param whenComplete whether an image can be used only when it is complete, regardless of the
  ///   settings
  VolumeImages(
      RegistryStreamIscsiSettings settings,
      ImagePull.Environment environment,
      ImageCache cache,
      boolean whenComplete) {
    this.settings = settings;
    this.environment = environment;
    this.cache = cache;
    this.whenComplete = whenComplete;
  }

  /// Returns the disk of a LUN, and begins its pull if necessary.
  ///
  /// @return an image in use by the caller, which must release it
  CachedImage obtain(LunRequest request) throws IOException, VolumeException {
    ImageSource source = environment.registries().open(request.image());
    opening.add(source);
    boolean handed = false;
    try {
      if (cancelled) {
        throw new IOException("The volume was deleted");
      }
      Image image = source.resolve(request.image().choice());
      handed = true;
      return cache.obtain(request, image, source);
    } finally {
      opening.remove(source);
      if (!handed) {
        source.close();
      }
    }
  }

  /// Waits until the image can be used according to the settings.
  void await(CachedImage image) throws IOException {
    boolean complete =
        whenComplete
            || settings.verifyBeforeExport()
            || settings.ready() == RegistryStreamIscsiSettings.Ready.COMPLETE;
    try {
      var _ = image.opened().get();
      if (complete) {
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
  ///
  /// @return whether this LUN may write to the image
  boolean claim(LunRequest request, CachedImage image) throws VolumeException {
    if (!LunMedia.writesToImage(request)) {
      return false;
    }
    if (!written.add(image)) {
      throw new VolumeException(
          new Failure.InvalidRequest(
              "Making a LUN of "
                  + request.image().reference()
                  + ": expected a copy mode other than none, or read-shared, since another LUN"
                  + " writes to the same image; found copy mode none"));
    }
    return true;
  }

  /// Records that an existing LUN writes to an image.
  void claimed(LunRequest request, CachedImage image) {
    if (LunMedia.writesToImage(request)) {
      written.add(image);
    }
  }

  /// Releases a claim.
  void disclaim(CachedImage image) {
    written.remove(image);
  }

  /// Opens an image as [ImageCache#reopen].
  Optional<CachedImage> reopen(String key, LunRequest request) throws IOException {
    return cache.reopen(key, request);
  }

  /// Ends a use as [ImageCache#putBack].
  void putBack(CachedImage image) {
    try {
      cache.putBack(image);
    } catch (IOException e) {
      LOG.warnf("Closing an image: key=%s: %s", image.key(), Reason.of(e));
    }
  }

  /// Returns the layers as [ImageCache#layers].
  List<Part> layers() {
    return cache.layers();
  }

  /// Ends a use of an image, as [ImageCache#release].
  void release(@Nullable CachedImage image) {
    if (image != null) {
      try {
        cache.release(image);
      } catch (IOException e) {
        LOG.warnf("Removing an image: key=%s: %s", image.key(), Reason.of(e));
      }
    }
  }

  /// Cancels running work: transfers end with an exception.
  void cancel() {
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
  void close() {
    cache.close();
  }

  /// Removes all images, after [#close].
  void removeAll() throws IOException {
    cache.removeAll();
  }
}
