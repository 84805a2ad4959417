package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.util.Optional;

/// The image of a request: the configured one, or the one that a client names instead.
///
/// @param trusted whether it lies in the configured image's registry, for which the configured user
///   name and password are intended
public record ChosenImage(SourceReference reference, boolean trusted) {
  /// Chooses the image. A client may name images in registries; only the operator may name files of
  /// this pod as images.
  ///
  /// @param variable the setting that `configured` comes from: `REGISTRY_COPY_IMAGE`
  /// @param asked the field `image` of a request
  /// @throws VolumeException with [Failure.InvalidRequest]
  public static ChosenImage of(String variable, Optional<String> configured, Optional<String> asked)
      throws VolumeException {
    Optional<SourceReference> ours = Optional.empty();
    if (configured.isPresent()) {
      ours = Optional.of(parse(variable, configured.get()));
    }
    if (asked.isEmpty()) {
      SourceReference reference =
          ours.orElseThrow(() ->
              invalid(
                  "Choosing the image: expected "
                      + variable
                      + " or the field 'image', found neither"));
      return new ChosenImage(reference, true);
    }
    SourceReference named = parse("image", asked.get());
    if (!(named instanceof SourceReference.Remote) && !ours.equals(Optional.of(named))) {
      throw invalid(
          "Field 'image': expected an image in a registry; files and directories of this service are"
              + " named by "
              + variable
              + " only");
    }
    return new ChosenImage(named, ours.filter(image -> sameRegistry(image, named)).isPresent());
  }

  private static boolean sameRegistry(SourceReference one, SourceReference other) {
    return one instanceof SourceReference.Remote(var registry, _, _, _)
        && other instanceof SourceReference.Remote(var named, _, _, _)
        && registry.equals(named);
  }

  private static SourceReference parse(String what, String text) throws VolumeException {
    try {
      return SourceReference.parse(text);
    } catch (IllegalArgumentException e) {
      throw new VolumeException(
          new Failure.InvalidRequest("Reading " + what + ": " + e.getMessage()), e);
    }
  }

  private static VolumeException invalid(String detail) {
    return new VolumeException(new Failure.InvalidRequest(detail));
  }
}
