package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.Qcow2Reader;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;

/// Looks at the beginning of a source and no further.
public final class DiskProbe {
  private DiskProbe() {}

  /// Reads as much as it takes to know the image's format and, where its header has it, its virtual
  /// size. What [DiskImport] would refuse by the header is refused here as well.
  ///
  /// @param source closed here
  /// @param length bytes of the source, where known
  /// @param format the format that the image is said to have; empty to go by magic numbers
  /// @throws UnsupportedFeatureException where the source is no disk, or uses what is refused
  public static ProbedImage probe(
      InputStream source, OptionalLong length, Optional<ImageFormat> format) throws IOException {
    try (SourceStack stack = SourceStack.open(source, length, FormatChoice.of(format))) {
      OptionalLong virtualSize =
          switch (stack.format()) {
            case RAW -> stack.length();
            case QCOW2 ->
                OptionalLong.of(new Qcow2Reader(Qcow2Limits.defaults()).guestSize(stack.top()));
            case VMDK, VDI, VHD, VHDX -> OptionalLong.empty();
          };
      return new ProbedImage(stack.format(), stack.wrapping(), virtualSize);
    }
  }
}
