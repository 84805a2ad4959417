package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.OptionalLong;

/// Where the source ends: as it is said to, and as it did.
///
/// @param length bytes of the source, where known
/// @param longest bytes that a source of this disk may have
record SourceBounds(OptionalLong length, Window window, long longest) {
  /// What a file may have for itself, whatever the disk: more than tables and dead clusters take.
  private static final long SLACK = 16L << 30;

  /// How often a file may hold the disk: once, and for each of so many snapshots.
  private static final long COPIES = 16;

  /// The bounds of one image. Nothing in the format bounds the length of its file, and a few
  /// megabytes of gzip are terabytes of zeros: what is longer than any honest file of the disk is
  /// refused, since reading it would take as long as somebody likes.
  static SourceBounds of(Qcow2Header header, OptionalLong length, Window window) {
    long copies = Math.min(header.guestSize(), (Long.MAX_VALUE - SLACK) / COPIES) * COPIES;
    return new SourceBounds(length, window, SLACK + copies);
  }

  /// Refuses a source that is longer than any honest one, as soon as that shows.
  ///
  /// @throws UnsupportedFeatureException past the bound
  void requirePlausible() throws UnsupportedFeatureException {
    if (length.orElse(window.end()) > longest) {
      throw new UnsupportedFeatureException(
          "The qcow2 image is longer than "
              + longest
              + " bytes, which a file of its disk does not take; repack it: qemu-img convert -O"
              + " qcow2 SOURCE disk.qcow2");
    }
  }

  /// Refuses what cannot be in the source before it has come that far.
  void require(String structure, long host, long bytes) throws MalformedImageException {
    if (length.isPresent() && host > length.getAsLong() - bytes) {
      throw new MalformedImageException(
          structure, host, "it reaches beyond the end of the source at byte " + length.getAsLong());
    }
  }

  /// What is still ahead when the source has ended.
  MalformedImageException ended(String structure, long host) {
    return new MalformedImageException(
        structure, host, "the source ends at byte " + window.end() + ", before its end");
  }
}
