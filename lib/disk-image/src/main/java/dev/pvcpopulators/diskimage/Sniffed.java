package dev.pvcpopulators.diskimage;

/// What the first bytes of a source say it is.
///
/// Anything not recognised is [ImageFormat#RAW]: a raw disk has no magic number of its own. A fixed
/// VHD also comes out as raw, because it is the disk followed by a 512-byte footer and its head is
/// the disk's: it is read as a VHD, without the footer, only where the user names the format.
public sealed interface Sniffed {
  /// A compressed stream; what is inside has to be sniffed again.
  record Compressed(Compression compression) implements Sniffed {}

  /// A POSIX or GNU tar archive, by its magic number and the checksum of its first header.
  record Tar() implements Sniffed {}

  /// A disk image.
  record Image(ImageFormat format) implements Sniffed {}

  /// A format that we know and do not read, and that nobody means to have as the raw bytes of a
  /// disk.
  ///
  /// @param name the format as users call it
  /// @param advice what to bring instead
  record Unsupported(String name, String advice) implements Sniffed {}
}
