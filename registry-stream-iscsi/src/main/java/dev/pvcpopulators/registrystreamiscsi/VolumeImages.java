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

/// The images below the LUNs of one volume: gets them, waits for them, lets go of them.
/// Thread-safe.
final class VolumeImages {
  private static final Logger LOG = Logger.getLogger(VolumeImages.class);

  private final RegistryStreamIscsiSettings settings;
  private final ImagePull.Environment environment;
  private final ImageCache cache;
  private final boolean whenComplete;
  private final Set<ImageSource> opening = ConcurrentHashMap.newKeySet();

  /// Images that a LUN writes to, or will when it is there.
  private final Set<CachedImage> written = ConcurrentHashMap.newKeySet();

  private volatile boolean cancelled;

  /// @param whenComplete whether an image can be used only when it is complete, whatever the
  ///   settings say
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

  /// The disk that a LUN shows, whose pull begins now unless it has.
  ///
  /// @return used by the caller, who releases it
  CachedImage obtain(LunRequest request) throws IOException, VolumeException {
    ImageSource source = environment.registries().open(request.image());
    opening.add(source);
    boolean handed = false;
    try {
      if (cancelled) {
        throw new IOException("The volume was deleted");
      }
      Image image = source.resolve(request.choice());
      handed = true;
      return cache.obtain(request, image, source);
    } finally {
      opening.remove(source);
      if (!handed) {
        source.close();
      }
    }
  }

  /// Waits until the image can be used as the settings say.
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

  /// Two LUNs that write to one image's own copy would mix what they write.
  ///
  /// @return whether the image is this LUN's to write to
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

  /// Notes that an image is written to by a LUN that was there before.
  void claimed(LunRequest request, CachedImage image) {
    if (LunMedia.writesToImage(request)) {
      written.add(image);
    }
  }

  /// Gives back what was claimed.
  void disclaim(CachedImage image) {
    written.remove(image);
  }

  /// As [ImageCache#reopen].
  Optional<CachedImage> reopen(String key, LunRequest request) throws IOException {
    return cache.reopen(key, request);
  }

  /// As [ImageCache#putBack].
  void putBack(CachedImage image) {
    try {
      cache.putBack(image);
    } catch (IOException e) {
      LOG.warnf("Closing an image: key=%s: %s", image.key(), Reason.of(e));
    }
  }

  /// As [ImageCache#layers].
  List<Part> layers() {
    return cache.layers();
  }

  /// Ends a use of an image.
  void release(@Nullable CachedImage image) {
    if (image != null) {
      try {
        cache.release(image);
      } catch (IOException e) {
        LOG.warnf("Removing an image: key=%s: %s", image.key(), Reason.of(e));
      }
    }
  }

  /// Ends what is under way: transfers end with an exception.
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

  /// Closes all; what is stored stays.
  void close() {
    cache.close();
  }

  /// Removes all, after [#close].
  void removeAll() throws IOException {
    cache.removeAll();
  }
}
