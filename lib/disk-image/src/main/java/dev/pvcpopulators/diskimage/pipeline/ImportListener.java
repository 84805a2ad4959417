package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;

/// Hears how an import goes on, on the thread that imports. Returns quickly.
public interface ImportListener {
  /// Hears nothing.
  ImportListener NONE = new ImportListener() {};

  /// The source has been recognised.
  ///
  /// @param wrapping what the image is wrapped in, from the outside in: `gzip`, `tar`; may be empty
  default void recognised(ImageFormat format, java.util.List<String> wrapping) {}

  /// The disk's size is known.
  ///
  /// @param bytes as a guest sees it
  default void virtualSize(long bytes) {}

  /// The source is about to be read again from its beginning.
  ///
  /// @param pass which time it is, from 2 on
  default void readAgain(int pass) {}

  /// More guest bytes have been handed to the disk; holes count when they were in the source.
  ///
  /// @param bytes since the last call
  default void decoded(long bytes) {}
}
