package dev.pvcpopulators.diskimage;

/// What the first bytes of a source say it is.
///
/// Anything not recognised is [ImageFormat#RAW]: a raw disk has no magic number of its own. A fixed
/// VHD is raw for the same reason: it is the disk followed by a 512-byte footer, and its head is
/// the disk's. It is read as a VHD, without the footer, only if the user names the format.
public sealed interface Sniffed {
  /// A compressed stream; what is inside has to be sniffed again.
  record Compressed(Compression compression) implements Sniffed {}

  /// A tar archive, by the checksum of its first header: POSIX, GNU, or of Unix version 7, which
  /// has no magic number.
  record Tar() implements Sniffed {}

  /// A ZIP archive, with or without entries.
  record Zip() implements Sniffed {}

  /// A disk image.
  record Image(ImageFormat format) implements Sniffed {}

  /// A format that we know and do not read, and that nobody means to have as the raw bytes of a
  /// disk.
  ///
  /// @param name the format as users call it
  /// @param advice what to bring instead
  /// @param kind decides whether these bytes are accepted when the format is named raw
  record Unsupported(String name, String advice, Kind kind) implements Sniffed {
    /// What an unsupported format is.
    public enum Kind {
      /// A disk image that other programs recognise by its first bytes.
      DISK_IMAGE,
      /// An archive, a compressed stream, a container of another kind.
      OTHER,
      /// Text.
      TEXT
    }
  }
}
