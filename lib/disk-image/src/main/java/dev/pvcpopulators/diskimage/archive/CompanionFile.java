package dev.pvcpopulators.diskimage.archive;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Recognises files that accompany a disk in an archive but are not disks. Examples are the
/// descriptor and the manifest of an OVA (DMTF DSP0243), the metadata of a Vagrant box, checksums
/// and signatures.
///
/// The content of such files is ignored: checksums in them are not compared.
final class CompanionFile {
  /// Maximum length of a companion file in bytes. A longer file counts as a disk, unless its name
  /// begins with `._`.
  static final long MAX_LENGTH = 16 << 20;

  private static final Set<String> NAMES =
      Set.of(
          "vagrantfile",
          "metadata.json",
          "info.json",
          "readme",
          "license",
          "copying",
          "checksum",
          "checksums",
          "md5sum",
          "md5sums",
          "sha1sum",
          "sha1sums",
          "sha256sum",
          "sha256sums",
          "sha512sum",
          "sha512sums");

  private static final List<String> SUFFIXES =
      List.of(
          ".ovf",
          ".mf",
          ".cert",
          ".nvram",
          ".md5",
          ".md5sum",
          ".sha1",
          ".sha1sum",
          ".sha256",
          ".sha256sum",
          ".sha512",
          ".sha512sum",
          ".asc",
          ".sig",
          ".pem",
          ".md",
          ".txt");

  private CompanionFile() {}

  /// Returns whether a file is a companion file. The `._` files of macOS are companion files, too.
  ///
  /// @param path the file's name in the archive, with `/` between directories
  /// @param length the file's length in bytes; negative if unknown, which counts as short enough
  static boolean matches(String path, long length) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    if (name.startsWith("._")) {
      return true;
    }
    String lower = name.toLowerCase(Locale.ROOT);
    return length <= MAX_LENGTH
        && (NAMES.contains(lower) || SUFFIXES.stream().anyMatch(lower::endsWith));
  }
}
