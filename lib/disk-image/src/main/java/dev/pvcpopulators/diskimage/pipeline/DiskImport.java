package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.Qcow2Reader;
import dev.pvcpopulators.diskimage.target.VolumeWriter;
import java.io.IOException;
import java.io.InputStream;
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
    try (SourceStack stack = SourceStack.open(source, length, format)) {
      return decode(stack, disk, listener);
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
        ? new RepeatedImport(source, disk, format, listener).run()
        : run(source.open(), source.length(), disk, format, listener);
  }

  /// Reads the whole stack and writes the disk in it, in one pass.
  static ImportedImage decode(SourceStack stack, VolumeWriter disk, ImportListener listener)
      throws IOException {
    listener.recognised(stack.format(), stack.wrapping());
    DiskSink sink = new CountingSink(disk, listener);
    long virtualSize =
        switch (stack.format()) {
          case RAW -> RawCopy.copy(stack.top(), stack.length(), sink);
          case QCOW2 ->
              new Qcow2Reader(Qcow2Limits.defaults()).decode(stack.top(), stack.length(), sink);
          case VMDK, VDI, VHD, VHDX ->
              SpooledConversion.convert(
                  stack.top(), stack.length(), stack.format(), disk, listener);
        };
    stack.drain();
    return new ImportedImage(stack.format(), stack.wrapping(), virtualSize);
  }
}
