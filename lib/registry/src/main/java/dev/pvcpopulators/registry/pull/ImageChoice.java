package dev.pvcpopulators.registry.pull;

import dev.pvcpopulators.registry.Platform;

/// The criteria for choosing one image of several.
///
/// @param platform the platform for which an image is chosen
/// @param diskType the required value of the annotation `disktype`. In an index such as the index
///   of Podman's machine images, this annotation names the hypervisor that can run an entry's disk.
///   If no entry for the platform has the annotation, the value is not used
/// @param strict whether the platform in an image's configuration must match if no index gives the
///   image's platform. If the image contains a disk, its configuration often gives the platform of
///   the host that packed the disk, and not the platform of the disk. Therefore, for such an image,
///   `strict` is true only if a user named the platform
public record ImageChoice(Platform platform, String diskType, boolean strict) {
  /// The default disk type.
  public static final String QEMU = "qemu";

  /// Returns the default choice: of several images, the image for Linux on this machine's
  /// architecture.
  public static ImageChoice ofThisMachine() {
    return new ImageChoice(Platform.ofThisMachine(), QEMU, false);
  }

  /// Returns the choice for a platform that the user named.
  public static ImageChoice of(Platform platform) {
    return new ImageChoice(platform, QEMU, true);
  }
}
