package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;
import java.util.List;

/// What an import found.
///
/// @param format the image's format
/// @param wrapping what it was wrapped in, from the outside in
/// @param virtualSize bytes the guest sees
public record ImportedImage(ImageFormat format, List<String> wrapping, long virtualSize) {
  public ImportedImage {
    wrapping = List.copyOf(wrapping);
  }
}
