package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;

/// Receives the progress of an import, on the importing thread. Implementations must return
/// quickly.
public interface ImportListener {
  /// A listener that does nothing.
  ImportListener NONE = new ImportListener() {};

  /// Called when the format of the source has been recognised.
  ///
  /// @param wrapping the formats around the image, from the outermost to the innermost, for example
  ///   `gzip` and `tar`; may be empty
  default void recognised(ImageFormat format, java.util.List<String> wrapping) {}

  /// Called when the disk's size is known. [DiskImport#run] does not call this method for a raw
  /// image whose length is known only at the end of the image.
  ///
  /// @param bytes the size as the guest sees it
  default void virtualSize(long bytes) {}

  /// Called before the source is read again from its beginning.
  ///
  /// @param pass number of the read, from 2 on
  default void readAgain(int pass) {}

  /// Called when more guest bytes have been passed to the disk. Zeros that the image's reader
  /// writes as data are counted, including holes of a sparse file in a tar archive. Zeros that the
  /// reader does not write are not counted. If `qemu-img` writes the disk's file, the whole virtual
  /// size is counted at the end.
  ///
  /// @param bytes number of counted bytes since the last call
  default void decoded(long bytes) {}
}
