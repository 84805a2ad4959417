package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;
import java.util.Optional;

/// The user's choices for an image's format.
///
/// @param format the format that the user names; empty to use magic numbers
/// @param allowMagic whether the disk may begin with the magic number of an image format. A program
///   that probes formats opens such a disk as an image, and that image may name another file as its
///   backing file. Allow such a disk only if each program that opens the disk gets the format raw
///   explicitly
public record FormatChoice(Optional<ImageFormat> format, boolean allowMagic) {
  /// Returns a choice with the given format, which may be empty. The choice does not allow a disk
  /// that begins with the magic number of an image format.
  public static FormatChoice of(Optional<ImageFormat> format) {
    return new FormatChoice(format, false);
  }

  /// Returns whether the user names the format raw; the source is then copied unchanged.
  boolean raw() {
    return format.equals(Optional.of(ImageFormat.RAW));
  }

  /// Returns whether the user names the given format.
  boolean named(ImageFormat candidate) {
    return format.equals(Optional.of(candidate));
  }
}
