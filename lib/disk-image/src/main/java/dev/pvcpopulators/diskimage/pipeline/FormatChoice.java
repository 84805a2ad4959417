package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;
import java.util.Optional;

/// What a user says of an image's format.
///
/// @param format the format that the image is said to have; empty to go by magic numbers
/// @param allowMagic whether the disk may begin with the magic number of an image format. A program
///   that probes formats takes such a disk for an image, which may name other files as its backing
///   file: who allows it knows that the disk's users name the format raw
public record FormatChoice(Optional<ImageFormat> format, boolean allowMagic) {
  /// A format, or none, and no disk that begins like an image.
  public static FormatChoice of(Optional<ImageFormat> format) {
    return new FormatChoice(format, false);
  }

  /// Whether the source is taken as it is.
  boolean raw() {
    return format.equals(Optional.of(ImageFormat.RAW));
  }

  /// Whether the image is said to have that format.
  boolean named(ImageFormat candidate) {
    return format.equals(Optional.of(candidate));
  }
}
