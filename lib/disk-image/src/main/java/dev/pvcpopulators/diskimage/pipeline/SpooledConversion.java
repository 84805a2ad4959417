package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.foreign.ForeignImage;
import dev.pvcpopulators.diskimage.foreign.QemuImg;
import dev.pvcpopulators.diskimage.target.VolumeWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/// Brings an image of a format that cannot be read in one pass into a volume: it is spooled to the
/// disk's file system, checked for naming no other file, and converted by `qemu-img`.
final class SpooledConversion {
  private static final int BUFFER_LENGTH = 1 << 20;

  private SpooledConversion() {}

  /// Spools, checks and converts.
  ///
  /// @param length bytes of the image, where known
  /// @return the virtual size in bytes
  static long convert(
      InputStream image,
      OptionalLong length,
      ImageFormat format,
      VolumeWriter disk,
      ImportListener listener)
      throws IOException {
    QemuImg qemuImg = QemuImg.find(QemuImg.Limits.DEFAULT);
    Path spool = disk.openSpool();
    spool(image, length, spool, disk);
    ForeignImage checked = ForeignImage.check(spool, format);
    listener.virtualSize(checked.virtualSize());
    Path target = disk.handOver(checked.virtualSize());
    qemuImg.convert(checked, spool, target);
    listener.decoded(checked.virtualSize());
    return checked.virtualSize();
  }

  private static void spool(InputStream image, OptionalLong length, Path spool, VolumeWriter disk)
      throws IOException {
    long available = disk.available();
    if (length.isPresent() && length.getAsLong() > available) {
      throw ExceedsVolumeException.tooLarge(length.getAsLong(), available);
    }
    byte[] buffer = new byte[BUFFER_LENGTH];
    long spooled = 0;
    try (OutputStream file = Files.newOutputStream(spool)) {
      int count;
      while ((count = image.readNBytes(buffer, 0, buffer.length)) > 0) {
        spooled += count;
        if (spooled > available) {
          throw ExceedsVolumeException.tooLarge(spooled, available);
        }
        write(file, buffer, count, spooled, disk);
      }
    }
  }

  private static void write(
      OutputStream file, byte[] buffer, int count, long spooled, VolumeWriter disk)
      throws IOException {
    try {
      file.write(buffer, 0, count);
    } catch (IOException e) {
      // Somebody else may have taken the space meanwhile; java.io tells that by its words alone.
      long usable = disk.usable();
      if (usable >= count) {
        throw e;
      }
      ExceedsVolumeException full = ExceedsVolumeException.full(spooled, usable);
      full.initCause(e);
      throw full;
    }
  }
}
