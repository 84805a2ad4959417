package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.Sniffed;
import dev.pvcpopulators.diskimage.Sniffer;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.Optional;

/// The first bytes of a disk as its guest will see them, collected during the writes.
final class GuestHead {
  private final byte[] bytes = new byte[DiskContent.HEAD_LENGTH];

  /// Stores those of the given bytes that are within the head.
  void keep(long guestOffset, byte[] source, int offset, int length) {
    int kept = overlap(guestOffset, length);
    if (kept > 0) {
      System.arraycopy(source, offset, bytes, (int) guestOffset, kept);
    }
  }

  /// Returns how many of the `length` bytes from `guestOffset` on are within the head.
  static int overlap(long guestOffset, long length) {
    return (int) Math.clamp(DiskContent.HEAD_LENGTH - guestOffset, 0, length);
  }

  /// Returns the apparent content of the disk.
  DiskContent content() {
    return DiskContent.of(bytes);
  }

  /// Refuses a disk that begins with the magic number of an image format.
  void requireNoImage() throws UnsupportedFeatureException {
    requireNoImage(Sniffer.sniff(bytes, Sniffer.HEAD_LENGTH));
  }

  /// Refuses a disk that begins with the magic number of an image format.
  ///
  /// @param sniffed the format recognised from the disk's first bytes
  static void requireNoImage(Sniffed sniffed) throws UnsupportedFeatureException {
    Optional<String> image =
        switch (sniffed) {
          case Sniffed.Image(ImageFormat format) ->
              format == ImageFormat.RAW ? Optional.empty() : Optional.of(format.word());
          case Sniffed.Unsupported(String name, String _, Sniffed.Unsupported.Kind kind) ->
              kind == Sniffed.Unsupported.Kind.DISK_IMAGE ? Optional.of(name) : Optional.empty();
          case Sniffed.Compressed _, Sniffed.Tar _, Sniffed.Zip _ -> Optional.empty();
        };
    if (image.isPresent()) {
      throw new UnsupportedFeatureException(
          "Expected the bytes of a disk, found the beginning of another image ("
              + image.get()
              + "): a program that probes formats would open the disk as that image, and the files"
              + " that it names. Name the format that the image has, or convert it to raw first; if"
              + " these bytes are meant, allow them with allowMagic=true, where that is offered");
    }
  }
}
