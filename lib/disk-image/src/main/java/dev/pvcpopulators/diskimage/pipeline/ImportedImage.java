package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.ImageFormat;
import java.util.List;

/// What an import found.
///
/// @param format the image's format
/// @param wrapping what it was wrapped in, from the outside in
/// @param virtualSize bytes the guest sees
/// @param content what the disk seems to hold
public record ImportedImage(
    ImageFormat format, List<String> wrapping, long virtualSize, DiskContent content) {
  public ImportedImage {
    wrapping = List.copyOf(wrapping);
  }
}
