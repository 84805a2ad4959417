package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Header;
import java.util.OptionalLong;

/// Checks lengths and offsets against the announced and the actual end of the source.
///
/// @param length bytes of the source, if known
/// @param longest maximum plausible length of the source in bytes
record SourceBounds(OptionalLong length, Window window, long longest) {
  /// The maximum plausible length of a file is [#COPIES] times the length of the disk, plus this
  /// number of bytes. The tables and the unused clusters of a file take fewer bytes than this.
  private static final long SLACK = 16L << 30;

  /// Maximum number of copies of the disk in a file, for example in snapshots.
  private static final long COPIES = 16;

  /// Creates the bounds of one image. The format does not limit the length of a file, and a few
  /// megabytes of bzip2 can expand to terabytes of zeros. A source longer than any plausible file
  /// of the disk is therefore refused: reading it would take unbounded time.
  static SourceBounds of(Qcow2Header header, OptionalLong length, Window window) {
    long copies = Math.min(header.guestSize(), (Long.MAX_VALUE - SLACK) / COPIES) * COPIES;
    return new SourceBounds(length, window, SLACK + copies);
  }

  /// Refuses a source that is longer than `longest`. Checks the announced length and the number of
  /// bytes that have been read, because a source may be longer than announced.
  ///
  /// @throws UnsupportedFeatureException if the announced length or the number of bytes read
  ///   exceeds `longest`
  void requirePlausible() throws UnsupportedFeatureException {
    if (Math.max(length.orElse(0), window.end()) > longest) {
      throw new UnsupportedFeatureException(
          "The qcow2 image is longer than "
              + longest
              + " bytes, which a file of its disk does not take; repack it: qemu-img convert -O"
              + " qcow2 SOURCE disk.qcow2");
    }
  }

  /// Refuses a structure that extends beyond the end of the source, if the source's length is
  /// known.
  void require(String structure, long host, long bytes) throws MalformedImageException {
    if (length.isPresent() && host > length.getAsLong() - bytes) {
      throw new MalformedImageException(
          structure, host, "it reaches beyond the end of the source at byte " + length.getAsLong());
    }
  }

  /// Returns the exception for a structure that had not arrived completely when the source ended.
  MalformedImageException ended(String structure, long host) {
    return new MalformedImageException(
        structure, host, "the source ends at byte " + window.end() + ", before its end");
  }
}
