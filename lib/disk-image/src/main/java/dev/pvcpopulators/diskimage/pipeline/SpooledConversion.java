package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.foreign.ForeignImage;
import dev.pvcpopulators.diskimage.foreign.QemuImg;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/// Imports an image of a format that cannot be read in one pass. This class spools the image to a
/// file, checks the image, and converts it with `qemu-img`. The check refuses an image that refers
/// to another file.
///
/// For a Filesystem volume, the spool file is in the volume, and `qemu-img` writes the disk's file
/// directly. For a Block volume, both the image and the converted disk are in the scratch
/// directory, and the disk is copied from there to the device. `qemu-img` must not write to the
/// device, because [VolumeWriter#publish] must write the first MiB of the device last.
final class SpooledConversion {
  private static final int BUFFER_LENGTH = 1 << 20;

  private SpooledConversion() {}

  /// Spools, checks and converts the image.
  ///
  /// @param length bytes of the image, if known
  /// @param sink writes to `disk`, and reports to its listener
  /// @return the virtual size in bytes
  static long convert(
      InputStream image,
      OptionalLong length,
      ImageFormat format,
      VolumeWriter disk,
      CountingSink sink)
      throws IOException {
    QemuImg qemuImg = QemuImg.find(QemuImg.Limits.DEFAULT);
    Path spool = disk.openSpool();
    spool(image, length, spool, disk);
    ForeignImage checked = ForeignImage.check(spool, format);
    if (disk.onDevice()) {
      sink.expect(checked.virtualSize());
      Path converted = disk.openSpool();
      qemuImg.convert(checked, spool, converted);
      copy(converted, sink);
    } else {
      sink.listener().virtualSize(checked.virtualSize());
      Path target = disk.handOver(checked.virtualSize());
      qemuImg.convert(checked, spool, target);
      keepHead(target, sink.head());
      sink.listener().decoded(checked.virtualSize());
    }
    return checked.virtualSize();
  }

  private static void keepHead(Path disk, GuestHead head) throws IOException {
    try (InputStream file = Files.newInputStream(disk)) {
      byte[] bytes = file.readNBytes(DiskContent.HEAD_LENGTH);
      head.keep(0, bytes, 0, bytes.length);
    }
  }

  /// Copies the data of a sparse file to the sink, without the holes.
  private static void copy(Path from, CountingSink sink) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    try (NativeFile holes = NativeFile.openToRead(from, NativeFile.Links.FOLLOWED);
        FileChannel file = FileChannel.open(from, StandardOpenOption.READ)) {
      OptionalLong data = holes.nextData(0);
      while (data.isPresent()) {
        long position = data.getAsLong();
        long end = holes.nextHole(position);
        while (position < end) {
          buffer.clear().limit((int) Math.min(BUFFER_LENGTH, end - position));
          int count = file.read(buffer, position);
          if (count < 0) {
            throw new IOException("The converted disk became shorter while it was read");
          }
          sink.write(position, buffer.array(), 0, count);
          position += count;
        }
        data = holes.nextData(end);
      }
    }
  }

  private static void spool(InputStream image, OptionalLong length, Path spool, VolumeWriter disk)
      throws IOException {
    long available = disk.spoolable();
    if (length.isPresent() && length.getAsLong() > available) {
      throw ExceedsVolumeException.tooLarge(length.getAsLong(), available);
    }
    byte[] buffer = new byte[BUFFER_LENGTH];
    long spooled = 0;
    try (NativeFile file = NativeFile.openToWrite(spool, NativeFile.Links.FOLLOWED)) {
      int count;
      while ((count = image.readNBytes(buffer, 0, buffer.length)) > 0) {
        long end = spooled + count;
        if (end > available) {
          throw ExceedsVolumeException.tooLarge(end, available);
        }
        write(file, spooled, ByteBuffer.wrap(buffer, 0, count), disk);
        spooled = end;
      }
    }
  }

  private static void write(NativeFile file, long offset, ByteBuffer bytes, VolumeWriter disk)
      throws IOException {
    long end = offset + bytes.remaining();
    try {
      file.write(offset, bytes);
    } catch (SystemCallException e) {
      if (!e.full()) {
        throw e;
      }
      // When the spooling began, there was space for `end` bytes. Since then, another process has
      // used this space.
      ExceedsVolumeException full = ExceedsVolumeException.fullNow(end, disk.spoolable());
      full.initCause(e);
      throw full;
    }
  }
}
