package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;
import java.util.List;
import java.util.OptionalLong;

/// What the first bytes of a source tell.
///
/// @param wrapping what the image is wrapped in, from the outside in
/// @param virtualSize bytes the guest would see; empty where only the whole source tells
public record ProbedImage(ImageFormat format, List<String> wrapping, OptionalLong virtualSize) {
  public ProbedImage {
    wrapping = List.copyOf(wrapping);
  }
}
