package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/// Reads an image of one format in one pass, after the outer formats have been removed.
interface OnePassReader {
  /// Returns the reader of a format; empty if `qemu-img` converts this format.
  static Optional<OnePassReader> of(ImageFormat format) {
    return switch (format) {
      case RAW -> Optional.of(new Raw());
      case QCOW2 -> Optional.of(new Qcow2());
      case VMDK, VDI, VHD, VHDX -> Optional.empty();
    };
  }

  /// Reads the image and writes the disk.
  ///
  /// @return the virtual size in bytes
  long decode(SourceStack image, FormatChoice choice, DiskSink sink) throws IOException;

  /// Returns the virtual size in bytes; empty if the size is known only after the whole image has
  /// been read. Reads at most the beginning of the image.
  OptionalLong virtualSize(SourceStack image) throws IOException;

  /// Reads a raw image, which contains only the bytes of the disk.
  record Raw() implements OnePassReader {
    @Override
    public long decode(SourceStack image, FormatChoice choice, DiskSink sink) throws IOException {
      return RawCopy.copy(image.top(), image.length(), choice.raw(), sink);
    }

    @Override
    public OptionalLong virtualSize(SourceStack image) {
      return image.length();
    }
  }

  /// Reads a qcow2 image.
  record Qcow2() implements OnePassReader {
    @Override
    public long decode(SourceStack image, FormatChoice choice, DiskSink sink) throws IOException {
      return reader().decode(image.top(), image.length(), sink);
    }

    @Override
    public OptionalLong virtualSize(SourceStack image) throws IOException {
      return OptionalLong.of(reader().guestSize(image.top()));
    }

    private static Qcow2Reader reader() {
      return new Qcow2Reader(Qcow2Limits.defaults());
    }
  }
}
