package dev.pvcpopulators.diskimage.foreign;

import static java.nio.file.StandardOpenOption.READ;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/// The result of checking a VMDK, VDI, VHD or VHDX before `qemu-img` reads the image. For the
/// check, the complete image must be in a file.
///
/// @param format VMDK, VDI, VHD or VHDX
/// @param virtualSize bytes of the disk as `qemu-img convert` will write it
public record ForeignImage(ImageFormat format, long virtualSize) {
  public ForeignImage {
    if (virtualSize < 0) {
      throw new IllegalArgumentException("virtual size " + virtualSize);
    }
  }

  /// Reads the headers and ensures that the image is self-contained. Opens no other file.
  ///
  /// @param spool the file that contains the image
  /// @throws MalformedImageException if the headers violate their specification
  /// @throws UnsupportedFeatureException if the image needs another file, has an unsupported type,
  ///   version or feature, or is a VHDX whose log must be replayed
  public static ForeignImage check(Path spool, ImageFormat format) throws IOException {
    try (FileChannel channel = FileChannel.open(spool, READ)) {
      SpooledImage image = SpooledImage.of(channel);
      long virtualSize =
          switch (format) {
            case VMDK -> VmdkHeader.virtualSize(image);
            case VDI -> VdiHeader.virtualSize(image);
            case VHD -> VhdFooter.virtualSize(image);
            case VHDX -> VhdxHeaders.virtualSize(image);
            case RAW, QCOW2 -> throw new IllegalArgumentException(format + " is read in one pass");
          };
      return new ForeignImage(format, virtualSize);
    }
  }
}
