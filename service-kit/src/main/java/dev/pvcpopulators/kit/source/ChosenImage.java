package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.pull.ImageChoice;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.Optional;

/// The image of a request: the configured image, or another image that a client names instead.
///
/// @param trusted true if the client names no image, or an image in the registry of the configured
///   image; the configured user name and password are intended for that registry only
/// @param choice the platform and the type of disk, which select one of several manifests
public record ChosenImage(SourceReference reference, boolean trusted, ImageChoice choice) {
  /// Chooses the image. A client may name any image in a registry; the list of allowed registries
  /// is checked when the image is opened. A client may name an image in a file or directory of this
  /// pod only if the setting names the same image.
  ///
  /// @param variable the name of the image's setting, for example `REGISTRY_COPY_IMAGE`
  /// @param otherwise the type of disk, and the platform to choose if neither the setting nor the
  ///   request names a platform
  /// @throws VolumeException with `Failure.InvalidRequest` if a value is invalid, if the client may
  ///   not name the image, or if neither the setting nor the request names an image
  public static ChosenImage of(
      String variable, ImageSettings settings, ImageChoice otherwise, VolumeRequest request)
      throws VolumeException {
    ImageChoice choice =
        request
            .value("platform", settings.platform(), Platform::parse)
            .map(platform -> new ImageChoice(platform, otherwise.diskType(), true))
            .orElse(otherwise);
    Optional<SourceReference> ours =
        VolumeRequest.parse(variable, settings.image(), SourceReference::parse);
    Optional<SourceReference> asked =
        request.value("image", Optional.empty(), SourceReference::parse);
    if (asked.isEmpty()) {
      SourceReference reference =
          ours.orElseThrow(() ->
              VolumeException.invalid(
                  "Choosing the image: expected "
                      + variable
                      + " or the field 'image', found neither"));
      return new ChosenImage(reference, true, choice);
    }
    SourceReference named = asked.get();
    if (!(named instanceof SourceReference.Remote) && !ours.equals(asked)) {
      throw VolumeException.invalid(
          "Field 'image': expected an image in a registry; files and directories of this service are"
              + " named by "
              + variable
              + " only");
    }
    boolean trusted = ours.filter(image -> sameRegistry(image, named)).isPresent();
    return new ChosenImage(named, trusted, choice);
  }

  private static boolean sameRegistry(SourceReference one, SourceReference other) {
    return one instanceof SourceReference.Remote(var registry, _, _, _)
        && other instanceof SourceReference.Remote(var named, _, _, _)
        && registry.equals(named);
  }

  /// Returns the same choice with another reference in the same registry.
  public ChosenImage at(SourceReference other) {
    return new ChosenImage(other, trusted, choice);
  }
}
