package dev.pvcpopulators.populate.upload;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.pipeline.DiskProbe;
import dev.pvcpopulators.diskimage.pipeline.ProbedImage;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/// Computes the size of a claim from the header of its image.
final class ImageSize {
  private static final long MEBI = 1L << 20;

  /// This class reserves 1/16 of a Filesystem volume for the file system itself.
  private static final int SHARE = 16;

  private ImageSize() {}

  /// Returns the storage to request for a file.
  ///
  /// @param format the format that the user names; empty to detect it
  /// @param block whether the claim is a device, without a file system
  /// @throws VolumeException if the file cannot be read or is not a disk image, or if its first
  ///   bytes do not determine the size of the disk
  static Quantity of(Path file, Optional<ImageFormat> format, boolean block)
      throws VolumeException {
    ProbedImage probed;
    try {
      probed =
          DiskProbe.probe(Files.newInputStream(file), OptionalLong.of(Files.size(file)), format);
    } catch (IOException e) {
      throw VolumeException.invalid("Reading %s: %s".formatted(file, e.getMessage()), e);
    }
    if (probed.virtualSize().isEmpty()) {
      throw VolumeException.invalid(
          "%s is %s, which does not begin with the size of its disk; expected --size, for example"
                  .formatted(file, probed.format().wrappedIn(probed.wrapping()))
              + " --size 20Gi");
    }
    return storage(probed.virtualSize().getAsLong(), block);
  }

  /// Returns the storage to request for a disk: whole mebibytes, at least one.
  ///
  /// @param virtualSize the size of the disk in bytes
  /// @param block whether the claim is a device, without a file system
  static Quantity storage(long virtualSize, boolean block) {
    long disk = Math.max(1, Math.ceilDiv(virtualSize, MEBI));
    long whole = block ? disk : disk + Math.ceilDiv(disk, SHARE - 1);
    return new Quantity(Long.toString(whole), "Mi");
  }
}
