package dev.pvcpopulators.registry.pull;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.ImageIndex;
import dev.pvcpopulators.registry.JsonValue;
import dev.pvcpopulators.registry.Manifest;
import dev.pvcpopulators.registry.ManifestDocument;
import dev.pvcpopulators.registry.MediaTypes;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.RegistryLimits;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.local.DockerArchiveStore;
import dev.pvcpopulators.registry.local.LayoutStore;
import dev.pvcpopulators.registry.remote.RegistryOptions;
import dev.pvcpopulators.registry.remote.RegistryStore;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// The source that a reference names: the image and its blobs.
///
/// @param blobs the store of the image and its layers, which was opened for the reference; owned by
///   this source from now on
public record ImageSource(BlobStore blobs, SourceReference reference) implements Closeable {
  /// Maximum nesting depth of indexes.
  private static final int INDEXES = 4;

  /// Opens the source that a reference names. A registry is contacted only when data is read.
  ///
  /// @param options the options for registries; not used for layouts and archives
  /// @throws SourceNotFoundException if the file or directory of the reference does not exist, or
  ///   if the reference matches no image or several images of a Docker archive
  /// @throws IllegalArgumentException if a file that the options name cannot be read, if the
  ///   registry's name is not a host, or if the name of the image in a layout or archive is not
  ///   valid
  public static ImageSource open(SourceReference reference, RegistryOptions options)
      throws IOException {
    return new ImageSource(
        switch (reference) {
          case SourceReference.Remote remote -> RegistryStore.open(remote, options);
          case SourceReference.Local local ->
              switch (local.transport()) {
                case LAYOUT, LAYOUT_ARCHIVE -> LayoutStore.open(local);
                case DOCKER_ARCHIVE -> DockerArchiveStore.open(local);
              };
        },
        reference);
  }

  /// Follows indexes to one image and reads its configuration.
  ///
  /// If several nested indexes give a platform for the image, the platform in the innermost of
  /// these indexes is the image's platform. If no index gives a platform, the image's platform is
  /// the platform in the image's configuration.
  ///
  /// @throws SourceNotFoundException if the reference matches no image or several images, or if a
  ///   manifest or the configuration is missing
  /// @throws DigestMismatchException if a document does not match its digest
  /// @throws MalformedImageException if a document is damaged or exceeds [RegistryLimits], or if
  ///   more than 4 indexes are nested
  /// @throws UnsupportedFeatureException if no entry of an index matches the platform and the disk
  ///   type, or if several entries cannot be distinguished; the message then lists the entries. The
  ///   exception is also thrown if a document has an unsupported version, such as schema 1 of
  ///   Docker. The exception is also thrown if all of these are true: the choice is strict, no
  ///   index gives a platform, and the platform in the image's configuration does not match
  public Image resolve(ImageChoice choice) throws IOException {
    IndexChoice entries = new IndexChoice(choice);
    RawManifest raw = blobs.root();
    Optional<Platform> platform = Optional.empty();
    for (int indexes = 0; indexes <= INDEXES; indexes++) {
      switch (ManifestDocument.read(raw)) {
        case Manifest manifest -> {
          return image(raw, manifest, platform, choice);
        }
        case ImageIndex index -> {
          ImageIndex.Entry entry = entries.choose(index);
          platform = entry.platform().isPresent() ? entry.platform() : platform;
          raw = blobs.manifest(entry.descriptor());
        }
      }
    }
    throw new MalformedImageException(
        "manifest", -1, "expected at most " + INDEXES + " indexes in each other");
  }

  private Image image(
      RawManifest raw, Manifest manifest, Optional<Platform> listed, ImageChoice choice)
      throws IOException {
    Optional<ImageConfig> config = config(manifest.config());
    Optional<Platform> own = config.map(ImageConfig::platform).filter(Platform::known);
    if (choice.strict()
        && listed.isEmpty()
        && own.isPresent()
        && new PlatformMatch(choice.platform()).distance(own.get()).isEmpty()) {
      throw new UnsupportedFeatureException(
          "expected an image for %s, found one for %s"
              .formatted(choice.platform(), Quoted.of(own.get().toString())));
    }
    return new Image(reference.toString(), raw.digest(), listed.or(() -> own), manifest, config);
  }

  /// Reads the configuration of an image. Returns empty, and reads nothing, if the media type is
  /// not the media type of an image's configuration: artifacts that are not images use the field
  /// `config` for other content.
  private Optional<ImageConfig> config(Descriptor descriptor) throws IOException {
    if (!MediaTypes.imageConfig(descriptor.mediaType())) {
      return Optional.empty();
    }
    if (descriptor.size() > RegistryLimits.MANIFEST_LENGTH) {
      throw new MalformedImageException(
          "configuration",
          -1,
          "expected at most %s bytes, found %s"
              .formatted(RegistryLimits.MANIFEST_LENGTH, descriptor.size()));
    }
    try (InputStream content = blobs.blob(descriptor, TransferListener.NONE)) {
      // The stream verifies the digest at its end, and throws an exception if the content is longer
      // than the descriptor's size.
      byte[] bytes = content.readAllBytes();
      return Optional.of(ImageConfig.read(JsonValue.parse("configuration", bytes)));
    }
  }

  @Override
  public void close() throws IOException {
    blobs.close();
  }
}
