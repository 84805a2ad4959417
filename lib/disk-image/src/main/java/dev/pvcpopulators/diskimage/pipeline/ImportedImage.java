package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.ImageFormat;
import java.util.List;

/// The result of an import.
///
/// @param format the image's format
/// @param wrapping the formats around the image, from the outermost to the innermost
/// @param virtualSize bytes that the guest sees
/// @param content the apparent content of the disk
public record ImportedImage(
    ImageFormat format, List<String> wrapping, long virtualSize, DiskContent content) {
  public ImportedImage {
    wrapping = List.copyOf(wrapping);
  }
}
