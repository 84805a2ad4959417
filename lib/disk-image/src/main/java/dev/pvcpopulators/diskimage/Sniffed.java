package dev.pvcpopulators.diskimage;

/// The format recognised from the first bytes of a source.
///
/// An unrecognised source is [ImageFormat#RAW], because a raw disk has no magic number. A fixed VHD
/// is also recognised as raw, because it is the disk followed by a 512-byte footer. The footer is
/// recognised, and left out of the disk, only if the user names the format VHD.
public sealed interface Sniffed {
  /// A compressed stream; its content must be sniffed again.
  record Compressed(Compression compression) implements Sniffed {}

  /// A tar archive in the POSIX, GNU or Unix version 7 format. The archive is recognised by the
  /// checksum of its first header, because the Unix version 7 format has no magic number.
  record Tar() implements Sniffed {}

  /// A ZIP archive, with or without entries.
  record Zip() implements Sniffed {}

  /// A disk image.
  record Image(ImageFormat format) implements Sniffed {}

  /// A known format that cannot be imported. Its bytes are unlikely to be the content of a disk.
  ///
  /// @param name the name by which users know the format
  /// @param advice what the user can do, for example a command that converts the source, or the
  ///   reason why the source is not a disk
  /// @param kind the kind of the format. If the user names the format raw, the import by default
  ///   refuses a [Kind#DISK_IMAGE], and accepts all other kinds.
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
