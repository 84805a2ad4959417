package dev.pvcpopulators.diskimage;

/// The format recognised from the first bytes of a source.
///
/// An unrecognised source is [ImageFormat#RAW], because a raw disk has no magic number. A fixed VHD
/// is also sniffed as raw: it is the disk followed by a 512-byte footer. The footer is recognised,
/// and left out of the disk, only if the user names the format VHD.
public sealed interface Sniffed {
  /// A compressed stream; its content must be sniffed again.
  record Compressed(Compression compression) implements Sniffed {}

  /// A tar archive of POSIX, GNU or Unix version 7. It is recognised by the checksum of its first
  /// header, because Unix version 7 has no magic number.
  record Tar() implements Sniffed {}

  /// A ZIP archive, with or without entries.
  record Zip() implements Sniffed {}

  /// A disk image.
  record Image(ImageFormat format) implements Sniffed {}

  /// A known format that cannot be read. Its bytes are unlikely to be the raw content of a disk.
  ///
  /// @param name the format as users call it
  /// @param advice what the user can do instead, for example a command that converts the source
  /// @param kind decides whether these bytes are accepted if the user names the format raw
  record Unsupported(String name, String advice, Kind kind) implements Sniffed {
    /// The kind of an unsupported format.
    public enum Kind {
      /// A disk image that other programs recognise by its first bytes.
      DISK_IMAGE,
      /// Any other format that is not text, such as an archive or a backup.
      OTHER,
      /// Text.
      TEXT
    }
  }
}
