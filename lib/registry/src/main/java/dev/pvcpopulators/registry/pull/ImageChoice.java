package dev.pvcpopulators.registry.pull;

import dev.pvcpopulators.registry.Platform;

/// Which image of several is wanted.
///
/// @param platform that the disk is for
/// @param diskType among disks for several hypervisors in one index, as Podman's machine images
///   are, the one whose annotation `disktype` says this
/// @param strict whether also an image without an index must say that it is for the platform. Disks
///   are often packed on another machine than they are for, so this is for platforms that a user
///   named
public record ImageChoice(Platform platform, String diskType, boolean strict) {
  /// The disk type of those who did not ask for one.
  public static final String QEMU = "qemu";

  /// Linux on this machine's architecture, if there is a choice.
  public static ImageChoice ofThisMachine() {
    return new ImageChoice(Platform.ofThisMachine(), QEMU, false);
  }

  /// A platform that was asked for by name.
  public static ImageChoice of(Platform platform) {
    return new ImageChoice(platform, QEMU, true);
  }
}
