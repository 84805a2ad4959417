package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;
import java.util.List;
import java.util.OptionalLong;

/// Properties of an image, known from the first bytes and the length of its source.
///
/// @param wrapping the formats around the image, from the outermost to the innermost
/// @param virtualSize bytes that a guest sees in the disk; empty for a raw image of unknown length,
///   and for a format that `qemu-img` converts
public record ProbedImage(ImageFormat format, List<String> wrapping, OptionalLong virtualSize) {
  public ProbedImage {
    wrapping = List.copyOf(wrapping);
  }
}
