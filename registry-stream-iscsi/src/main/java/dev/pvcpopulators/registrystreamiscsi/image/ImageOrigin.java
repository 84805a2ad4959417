package dev.pvcpopulators.registrystreamiscsi.image;

import dev.pvcpopulators.kit.source.ChosenImage;
import dev.pvcpopulators.registry.SourceReference;
import java.util.Locale;

/// The source of an image, and whether the configured user and password may be used for the source.
/// A disk from one origin is shared with a LUN of another origin only after the disk is complete
/// and verified against its digest.
///
/// @param text `REGISTRY/REPOSITORY`, or the transport and path of a layout or archive. The suffix
///   ` password` follows if the configured user and password may be used. The text is empty if an
///   older version of the service wrote the image's record
record ImageOrigin(String text) {

  private static final String WITH_PASSWORD = " password";

  static ImageOrigin of(ChosenImage image) {
    String place =
        switch (image.reference()) {
          case SourceReference.Remote(var registry, var repository, _, _) ->
              registry.toLowerCase(Locale.ROOT) + "/" + repository;
          case SourceReference.Local(var transport, var path, _) -> transport + ":/" + path;
        };
    return new ImageOrigin(place + (image.trusted() ? WITH_PASSWORD : ""));
  }

  boolean known() {
    return !text.isEmpty();
  }

  /// Returns whether both origins are in the same registry. Only the registry that has the blobs
  /// can be trusted to check the access to them. Another registry can claim to have a blob that it
  /// does not have.
  boolean sameRegistry(ImageOrigin other) {
    return known() && registry().equals(other.registry());
  }

  private String registry() {
    return text.substring(0, Math.max(0, text.indexOf('/')));
  }
}
