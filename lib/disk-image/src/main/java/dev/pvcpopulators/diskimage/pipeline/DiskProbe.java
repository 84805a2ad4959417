package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;

/// Recognises a disk image from the beginning of a source.
public final class DiskProbe {
  private DiskProbe() {}

  /// Reads as much as needed to know the image's format and, for a qcow2, its virtual size. Refuses
  /// each qcow2 header that [DiskImport] refuses.
  ///
  /// @param source closed by this method
  /// @param length bytes of the source, if known
  /// @param format the format that the user names; empty to use magic numbers
  /// @throws UnsupportedFeatureException if the source is not a disk image, or if it uses a refused
  ///   feature
  public static ProbedImage probe(
      InputStream source, OptionalLong length, Optional<ImageFormat> format) throws IOException {
    try (SourceStack stack = SourceStack.open(source, length, FormatChoice.of(format))) {
      Optional<OnePassReader> reader = OnePassReader.of(stack.format());
      OptionalLong virtualSize =
          reader.isPresent() ? reader.get().virtualSize(stack) : OptionalLong.empty();
      return new ProbedImage(stack.format(), stack.wrapping(), virtualSize);
    }
  }
}
