package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.disk.DiskPath;
import dev.pvcpopulators.registry.pull.ImageChoice;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.Optional;
import java.util.Set;

/// The disk that a request selects in an image. A field of the request overrides the setting of the
/// same name.
///
/// @param image the image with the disk
/// @param path the path of the disk in the image
/// @param format the format of the disk; empty to detect it by magic numbers
public record ChosenDisk(ChosenImage image, DiskPath path, Optional<ImageFormat> format) {
  /// The fields that a client may set in a request.
  public static final Set<String> FIELDS = Set.of("image", "platform", "path", "format");

  /// Chooses the disk.
  ///
  /// @param variable the variable of the image's setting, such as `REGISTRY_COPY_IMAGE`
  /// @param diskType the type of disk to choose if an image has disks for several hypervisors
  /// @param format the format of the disk; empty to detect it by magic numbers
  /// @throws VolumeException with `Failure.InvalidRequest` if a value is invalid or too long, if
  ///   the client may not name the image, or if neither the setting nor the request names an image
  public static ChosenDisk of(
      String variable,
      ImageDiskSettings settings,
      String diskType,
      Optional<ImageFormat> format,
      VolumeRequest request)
      throws VolumeException {
    ImageChoice otherwise = new ImageChoice(Platform.ofThisMachine(), diskType, false);
    ChosenDisk chosen =
        new ChosenDisk(
            ChosenImage.of(variable, settings, otherwise, request),
            request.value("path", settings.path(), DiskPath::parse),
            format);
    if (chosen.reference().toString().length() > Origin.MAX_TEXT
        || chosen.selection().length() > Origin.MAX_TEXT) {
      throw VolumeException.invalid(
          "Choosing the disk: expected an image and a path of at most "
              + Origin.MAX_TEXT
              + " characters each");
    }
    return chosen;
  }

  public SourceReference reference() {
    return image.reference();
  }

  /// Returns the text that identifies the chosen disk within the image's manifest. This text is
  /// part of the disk's record. Two requests for the same manifest select the same disk if their
  /// texts are equal.
  public String selection() {
    return "path=" + path.pattern() + ";format=" + format.map(ImageFormat::word).orElse("auto");
  }

  /// Returns whether an existing disk was made from the manifest of an image, and with the
  /// [#selection] of this object.
  ///
  /// @param record the record of the existing disk
  public boolean made(Image from, DiskRecord record) {
    return record.sourceDigest().equals(from.digest().toString())
        && record.selection().equals(selection());
  }
}
