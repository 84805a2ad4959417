package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.kit.disk.FormatSetting;
import dev.pvcpopulators.kit.source.ChosenImage;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.disk.DiskPath;
import dev.pvcpopulators.registry.pull.ImageChoice;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// A request for a copy: the settings, overridden by the fields of a client's request.
///
/// @param image the image
/// @param choice the platform that selects one of several manifests
/// @param path of the disk in the image
/// @param format of the disk; empty to detect it by magic numbers
record CopyRequest(
    ChosenImage image, ImageChoice choice, DiskPath path, Optional<ImageFormat> format) {
  /// The fields that a client may set.
  static final Set<String> FIELDS = Set.of("image", "platform", "path", "format");

  /// Combines settings and request.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if a value is invalid
  static CopyRequest of(RegistryCopySettings settings, VolumeRequest request)
      throws VolumeException {
    ChosenImage image =
        ChosenImage.of("REGISTRY_COPY_IMAGE", settings.image(), request.text("image"));
    Optional<String> platform = request.text("platform").or(settings::platform);
    ImageChoice choice =
        new ImageChoice(
            platform.isPresent()
                ? parse("platform", platform.get(), Platform::parse)
                : Platform.ofThisMachine(),
            settings.diskType(),
            platform.isPresent());
    CopyRequest asked =
        new CopyRequest(
            image,
            choice,
            parse("path", request.text("path").orElse(settings.path()), DiskPath::parse),
            parse(
                "format", request.text("format").orElse(settings.format()), FormatSetting::parse));
    if (asked.reference().toString().length() > Origin.MAX_TEXT
        || asked.selection().length() > Origin.MAX_TEXT) {
      throw invalid(
          "Choosing the disk: expected an image and a path of at most "
              + Origin.MAX_TEXT
              + " characters each");
    }
    return asked;
  }

  SourceReference reference() {
    return image.reference();
  }

  private static <T> T parse(String what, String text, Function<String, T> parser)
      throws VolumeException {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw new VolumeException(
          new Failure.InvalidRequest("Reading " + what + ": " + e.getMessage()), e);
    }
  }

  private static VolumeException invalid(String detail) {
    return new VolumeException(new Failure.InvalidRequest(detail));
  }

  /// Returns the part of the disk's record that identifies the selected disk: two requests for the
  /// same manifest give the same disk if this text is equal.
  String selection() {
    return "path=" + path.pattern() + ";format=" + format.map(ImageFormat::word).orElse("auto");
  }

  /// Returns whether a disk was made from the same part of this manifest.
  boolean made(Image image, DiskRecord record) {
    return record.sourceDigest().equals(image.digest().toString())
        && record.selection().equals(selection());
  }
}
