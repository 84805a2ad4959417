package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.Qcow2Reader;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Brings one disk image, as it arrives, into a volume.
///
/// ```
/// source ─▶ decompress (0–4 times) ─▶ decode ─▶ VolumeWriter
/// ```
///
/// Each arrow is a bounded buffer between two threads; the last two run on the caller's.
public final class DiskImport {
  private DiskImport() {}

  /// Reads the source to its end, verifying every checksum and length on the way, and writes the
  /// disk in it. The caller publishes, after it has verified what it knows of the source's digest.
  ///
  /// @param source read by another thread while this method runs; closed when it ends, so closing
  ///   it from elsewhere, with an exception for its reader, cancels the import
  /// @param length bytes of the source, where known
  /// @param disk where it goes; not published and not closed here
  /// @param format the format that the image is said to have; empty to go by magic numbers
  /// @throws MalformedImageException where the source contradicts its format, or ends too early
  /// @throws UnsupportedFeatureException where it uses what is refused or not known
  /// @throws ExceedsVolumeException where the disk does not fit
  /// @throws IOException what the source threw, or the volume
  public static ImportedImage run(
      InputStream source,
      OptionalLong length,
      VolumeWriter disk,
      Optional<ImageFormat> format,
      ImportListener listener)
      throws IOException {
    return run(source, length, disk, FormatChoice.of(format), listener);
  }

  /// As above, for a user who may say more of the format.
  ///
  /// @throws UnsupportedFeatureException also where the disk begins with the magic number of an
  ///   image format, which was not allowed
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

  /// The same for a source that can be read again, which is done where the disk goes to a block
  /// device and its image is a qcow2 whose tables come after the data that they map. Nothing is
  /// staged on a device then, so that it need be no larger than the disk, and each byte is written
  /// once.
  ///
  /// @param source opened once, or, in that case, up to [Qcow2Passes#MAX_PASSES] times; each stream
  ///   is read to its end and closed before the next one is opened
  /// @throws MalformedImageException also where the source gave other bytes when it was read again
  /// @throws UnsupportedFeatureException also where the image is too scattered for those passes
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

  /// Brings a raw or qcow2 image into any sink while it arrives, so that what has come can be used
  /// before the rest has: bytes reach the sink, on the caller's thread, before the source is waited
  /// for. Nothing of it is verified before this method returns.
  ///
  /// The sink hears the virtual size as soon as it is known: from a qcow2's header; of a raw image
  /// from the length of the source, or of the tar entry around it. A raw image that is compressed
  /// has no length before its end: then [DiskSink#expect] comes last, behind all writes.
  ///
  /// Of a qcow2 whose tables come late (one that was resized, or has snapshots), the sink is asked
  /// for its [Staging], once. A file beside the disk will do:
  ///
  /// - `keep` writes at the host offset; each host byte is kept at most once, none overlaps
  ///   another, and together they are at most as long as the decompressed source;
  /// - `read` gives what was kept, and zeros elsewhere, also where the file is shorter;
  /// - `moveToGuest` puts kept bytes into the disk, which have to be readable there when it
  ///   returns, as after [DiskSink#write]; copying does, and the file may keep what it has. It is
  ///   the third way of telling guest bytes;
  /// - the sink removes the file when this method has ended, in whatever way.
  ///
  /// @param source read by another thread while this method runs; closed when it ends, so closing
  ///   it from elsewhere, with an exception for its reader, cancels the import
  /// @param length bytes of the source, where known
  /// @param sink stays the caller's. What it throws ends the import and is thrown unchanged
  /// @param format the format that the image is said to have; empty to go by magic numbers
  /// @throws MalformedImageException where the source contradicts its format, or ends too early
  /// @throws UnsupportedFeatureException where it uses what is refused or not known, or has a
  ///   format whose tables are anywhere in the file
  /// @throws IOException what the source threw, or the sink
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
          switch (stack.format()) {
            case RAW -> RawCopy.copy(stack.top(), stack.length(), choice.raw(), counting);
            case QCOW2 -> decodeQcow2(stack, counting);
            case VMDK, VDI, VHD, VHDX -> throw unreadableWhileItArrives(stack.format());
          };
      stack.drain();
      if (stack.format() == ImageFormat.RAW && stack.length().isEmpty()) {
        counting.expect(virtualSize);
      }
      return examined(stack, virtualSize, counting.head(), choice);
    }
  }

  private static ImportedImage examined(
      SourceStack stack, long virtualSize, GuestHead head, FormatChoice format)
      throws UnsupportedFeatureException {
    ImportedImage image =
        new ImportedImage(stack.format(), stack.wrapping(), virtualSize, DiskContent.UNKNOWN);
    return examined(image, head, format);
  }

  /// The image with what its disk holds.
  ///
  /// @throws UnsupportedFeatureException where the disk is the beginning of another image. Any
  ///   format can hold such a disk, a qcow2 as well as a raw one
  static ImportedImage examined(ImportedImage image, GuestHead head, FormatChoice format)
      throws UnsupportedFeatureException {
    if (!format.allowMagic()) {
      head.requireNoImage();
    }
    return new ImportedImage(image.format(), image.wrapping(), image.virtualSize(), head.content());
  }

  /// Reads the whole stack and writes the disk in it, in one pass.
  static ImportedImage decode(
      SourceStack stack, VolumeWriter disk, FormatChoice format, ImportListener listener)
      throws IOException {
    listener.recognised(stack.format(), stack.wrapping());
    CountingSink sink = new CountingSink(disk, listener);
    long virtualSize =
        switch (stack.format()) {
          case RAW -> RawCopy.copy(stack.top(), stack.length(), format.raw(), sink);
          case QCOW2 -> decodeQcow2(stack, sink);
          case VMDK, VDI, VHD, VHDX ->
              SpooledConversion.convert(stack.top(), stack.length(), stack.format(), disk, sink);
        };
    stack.drain();
    return examined(stack, virtualSize, sink.head(), format);
  }

  private static long decodeQcow2(SourceStack stack, DiskSink sink) throws IOException {
    return new Qcow2Reader(Qcow2Limits.defaults()).decode(stack.top(), stack.length(), sink);
  }

  private static UnsupportedFeatureException unreadableWhileItArrives(ImageFormat format) {
    return new UnsupportedFeatureException(
        "The image is a "
            + format.name().toLowerCase(Locale.ROOT)
            + ", which cannot be read while it arrives: its tables are anywhere in the file. Convert"
            + " it to qcow2 or raw first");
  }
}
