package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.kit.source.ChosenImage;
import dev.pvcpopulators.registry.SourceReference;
import java.util.Locale;

/// Where an image is pulled from, and with which credentials. What arrives from one origin is shown
/// to no LUN of another before it is complete and verified: the digest says what the bytes must be,
/// and until then the origin alone vouches for them.
///
/// @param text `REGISTRY/REPOSITORY`, the path of a layout or archive, or empty where a document of
///   an older version does not say; with a mark where the configured user and password were used
record ImageOrigin(String text) {
  static final ImageOrigin UNKNOWN = new ImageOrigin("");

  private static final String WITH_PASSWORD = " password";

  static ImageOrigin of(ChosenImage image) {
    String place =
        switch (image.reference()) {
          case SourceReference.Remote(var registry, var repository, _, _) ->
              registry.toLowerCase(Locale.ROOT) + "/" + repository;
          case SourceReference.Layout(var directory, _) -> "oci:/" + directory;
          case SourceReference.LayoutArchive(var file, _) -> "oci-archive:/" + file;
          case SourceReference.DockerArchive(var file, _) -> "docker-archive:/" + file;
        };
    return new ImageOrigin(place + (image.trusted() ? WITH_PASSWORD : ""));
  }

  boolean known() {
    return !text.isEmpty();
  }

  /// Whether both lie in one registry. Only then does its word, that a caller may read a blob
  /// there, say anything of a blob that came from it: another registry is another's to operate, and
  /// can confirm what it does not have.
  boolean sameRegistry(ImageOrigin other) {
    return known() && registry().equals(other.registry());
  }

  private String registry() {
    return text.substring(0, Math.max(0, text.indexOf('/')));
  }
}
