package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;

/// Imports one disk image into a volume while the image arrives.
///
/// ```
/// source ─▶ decompress or unpack (0–4 times) ─▶ decode ─▶ VolumeWriter
/// ```
///
/// Each decompressor, and the reader of a ZIP archive, runs on its own thread, and a bounded buffer
/// joins it to the next stage. The last two stages run on the caller's thread.
public final class DiskImport {
  private DiskImport() {}

  /// Reads the source to its end, verifies every checksum and length that the source contains, and
  /// writes the image's disk to `disk`. The caller verifies the source's digest, and then publishes
  /// the disk.
  ///
  /// @param source read by the calling thread, or by the thread of a decompressor or ZIP reader;
  ///   closed when this method ends. Another thread can cancel the import by closing the source; a
  ///   read from the source must then throw an exception
  /// @param length bytes of the source, if known
  /// @param disk receives the disk; this method neither publishes nor closes it
  /// @param format the format that the user names; empty to use magic numbers
  /// @throws MalformedImageException if the source violates its format, or ends too early
  /// @throws UnsupportedFeatureException if the source uses a refused or unknown feature, or if the
  ///   disk begins with the magic number of an image format
  /// @throws ExceedsVolumeException if the disk does not fit into the volume, or an image that must
  ///   be spooled does not fit into the volume or the scratch directory
  /// @throws IOException any exception of the source or the volume
  public static ImportedImage run(
      InputStream source,
      OptionalLong length,
      VolumeWriter disk,
      Optional<ImageFormat> format,
      ImportListener listener)
      throws IOException {
    return run(source, length, disk, FormatChoice.of(format), listener);
  }

  /// Imports an image as [#run(InputStream, OptionalLong, VolumeWriter, Optional, ImportListener)]
  /// does, but with a [FormatChoice].
  ///
  /// @param format may allow a disk that begins with the magic number of an image format
  public static ImportedImage run(
      InputStream source,
      OptionalLong length,
      VolumeWriter disk,
      FormatChoice format,
      ImportListener listener)
      throws IOException {
    try (SourceStack stack = SourceStack.open(source, length, format)) {
      return decode(stack, disk, format, listener);
    }
  }

  /// Imports an image from a source that can be read again. In a qcow2 image, a table can come so
  /// late in the source that the data which the table maps is no longer in memory. If the disk is
  /// on a block device, this method then reads the source again. This method never stages the data
  /// of a qcow2 image on a device. Therefore the device need not be larger than the disk, and each
  /// byte is written only once.
  ///
  /// @param source opened once, or up to four times if it is read again (`Qcow2Passes.MAX_PASSES`);
  ///   each stream is read to its end and closed before the next one is opened
  /// @throws MalformedImageException also if a later read of the source returned bytes other than
  ///   the first read did
  /// @throws UnsupportedFeatureException also if the data of the image is too scattered to be
  ///   decoded in `Qcow2Passes.MAX_PASSES` passes over the source
  public static ImportedImage run(
      RepeatableSource source,
      VolumeWriter disk,
      Optional<ImageFormat> format,
      ImportListener listener)
      throws IOException {
    return disk.onDevice()
        ? new RepeatedImport(source, disk, FormatChoice.of(format), listener).run()
        : run(source.open(), source.length(), disk, format, listener);
  }

  /// Imports a raw or qcow2 image into any sink while the image arrives. Received data can be used
  /// before the rest arrives. This method passes received bytes to the sink as soon as the place of
  /// these bytes on the disk is known, and before it waits for the source again. The sink is called
  /// on the caller's thread. The data is verified only when this method has returned.
  ///
  /// The sink receives the virtual size as soon as the size is known. For a qcow2, the size is in
  /// the header. For a raw image, the size is the length of the source or of the archive entry that
  /// contains the image. If this length is not known before the data, for example because the raw
  /// image itself is compressed, [DiskSink#expect] is called after all writes.
  ///
  /// In some qcow2 images, tables follow the data that they map, for example after a resize or with
  /// snapshots. For data that cannot stay in memory until its table arrives, this method calls
  /// [DiskSink#staging], at most once. A file beside the disk is sufficient as staging:
  ///
  /// - `keep` writes into the file at the host offset. The kept ranges do not overlap. The total
  ///   length of these ranges is at most the length of the qcow2 image.
  /// - `read` returns the kept bytes, and zeros elsewhere, also beyond the end of the file.
  /// - `moveToGuest` moves kept bytes into the disk. When the call returns, programs must be able
  ///   to read these bytes from the disk, as after a call of [DiskSink#write]. A copy is
  ///   sufficient, and the staging file may keep the bytes. Each guest byte is passed at most once:
  ///   by this call, by `write` or by `zeros`.
  /// - The sink removes the file after this method has ended, also after an exception.
  ///
  /// @param source read by the calling thread, or by the thread of a decompressor or ZIP reader;
  ///   closed when this method ends. Another thread can cancel the import by closing the source; a
  ///   read from the source must then throw an exception
  /// @param length bytes of the source, if known
  /// @param sink the caller closes it; an exception of the sink ends the import and is thrown
  ///   unchanged
  /// @param format the format that the user names; empty to use magic numbers
  /// @throws MalformedImageException if the source violates its format, or ends too early
  /// @throws UnsupportedFeatureException if the source uses a refused or unknown feature, if only
  ///   `qemu-img` can read the format of the image, or if the disk begins with the magic number of
  ///   an image format
  /// @throws IOException any exception of the source or the sink
  public static ImportedImage stream(
      InputStream source,
      OptionalLong length,
      DiskSink sink,
      Optional<ImageFormat> format,
      ImportListener listener)
      throws IOException {
    FormatChoice choice = FormatChoice.of(format);
    try (SourceStack stack = SourceStack.open(source, length, choice)) {
      listener.recognised(stack.format(), stack.wrapping());
      CountingSink counting = new CountingSink(sink, listener);
      long virtualSize =
          OnePassReader.of(stack.format())
              .orElseThrow(() -> unreadableWhileItArrives(stack.format()))
              .decode(stack, choice, counting);
      stack.drain();
      if (stack.format() == ImageFormat.RAW && stack.length().isEmpty()) {
        counting.expect(virtualSize);
      }
      return examined(stack, virtualSize, counting.head(), choice);
    }
  }

  /// Returns the result of an import, with the apparent content of the disk.
  ///
  /// @throws UnsupportedFeatureException if the disk begins with the magic number of an image
  ///   format, and `format` does not allow this. An image of any format can contain such a disk
  static ImportedImage examined(
      SourceStack stack, long virtualSize, GuestHead head, FormatChoice format)
      throws UnsupportedFeatureException {
    if (!format.allowMagic()) {
      head.requireNoImage();
    }
    return new ImportedImage(stack.format(), stack.wrapping(), virtualSize, head.content());
  }

  /// Reads the whole stack once and writes the disk that it contains.
  static ImportedImage decode(
      SourceStack stack, VolumeWriter disk, FormatChoice format, ImportListener listener)
      throws IOException {
    listener.recognised(stack.format(), stack.wrapping());
    CountingSink sink = new CountingSink(disk, listener);
    Optional<OnePassReader> reader = OnePassReader.of(stack.format());
    long virtualSize =
        reader.isPresent()
            ? reader.get().decode(stack, format, sink)
            : SpooledConversion.convert(stack.top(), stack.length(), stack.format(), disk, sink);
    stack.drain();
    return examined(stack, virtualSize, sink.head(), format);
  }

  private static UnsupportedFeatureException unreadableWhileItArrives(ImageFormat format) {
    return new UnsupportedFeatureException(
        ("The image is a %s, which cannot be read while it arrives: its tables are"
                + " anywhere in the file. Convert it to %s first")
            .formatted(format.word(), ImageFormat.names(ImageFormat::onePass)));
  }
}
