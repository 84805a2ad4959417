package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.ArchiveLimits;
import dev.pvcpopulators.diskimage.archive.ArchivePublication;
import dev.pvcpopulators.diskimage.archive.ArchiveUnpacker;
import dev.pvcpopulators.diskimage.archive.FileTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/// Imports the files of a tar archive into a Filesystem volume while the archive arrives.
///
/// The files are unpacked into a hidden directory of the volume. After the last file has arrived
/// and the source has been verified, the files are moved into place.
public final class ArchiveImport {
  /// Maximum number of entries. The number is limited because directories and names take memory and
  /// inodes. An archive of disks and their metadata has fewer than a million entries.
  private static final long MAX_ENTRIES = 1_000_000;

  private static final String PREFIX = ".archive.populating-";
  private static final Pattern STAGING = Pattern.compile("\\.archive\\.populating-[0-9a-f]{16}");
  private static final SecureRandom RANDOM = new SecureRandom();

  private ArchiveImport() {}

  /// A check of the whole source. [#run] calls it after the source has been read and before
  /// anything is published.
  @FunctionalInterface
  public interface Verification {
    /// Checks whether [#run] has read the source that its caller expects.
    ///
    /// @throws IOException if [#run] has read another source; in this case, nothing is published
    void verify() throws IOException;
  }

  /// Unpacks the source, tar or compressed tar, into the volume.
  ///
  /// @param source read by the calling thread, or by the thread of a decompressor; closed when this
  ///   method ends
  /// @param volume a directory
  /// @param overwrite whether existing entries with the same names may be replaced
  /// @return names of the top-level entries
  /// @throws UnsupportedFeatureException if the source is not a tar archive, has more than a
  ///   million entries, or contains an entry of an unsupported type, a name that this process's
  ///   locale cannot encode, a global header with names or sizes, or a sparse map of an unsupported
  ///   version
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException if the archive is damaged, or
  ///   contains an entry that must not be unpacked, for example because its name leads out of the
  ///   volume
  /// @throws dev.pvcpopulators.diskimage.ExceedsVolumeException if the files do not fit into the
  ///   volume
  /// @throws java.nio.file.FileAlreadyExistsException if `overwrite` is false, and the volume
  ///   already has an entry with the name of a top-level entry; nothing was changed
  public static List<String> run(
      InputStream source, Path volume, boolean overwrite, Verification verification)
      throws IOException {
    Path staging = volume.resolve(PREFIX + HexFormat.of().toHexDigits(RANDOM.nextLong()));
    try (SourceStack stack = SourceStack.openArchive(source)) {
      long usable = Files.getFileStore(volume).getUsableSpace();
      // Reads the source to its end, so that its checksums are verified, and closes it.
      ArchiveUnpacker.unpack(stack.top(), staging, new ArchiveLimits(MAX_ENTRIES, usable));
      verification.verify();
      return ArchivePublication.publish(staging, volume, overwrite);
    } finally {
      FileTree.delete(staging);
    }
  }

  /// Removes the leftovers of an import after a crash, and restores entries that the import was
  /// replacing.
  public static void removeLeftovers(Path volume) throws IOException {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(volume, PREFIX + "*")) {
      for (Path leftover : found) {
        String name = leftover.getFileName().toString();
        if (!Files.isDirectory(leftover, LinkOption.NOFOLLOW_LINKS)) {
          continue;
        }
        if (STAGING.matcher(name).matches()) {
          FileTree.delete(leftover);
        } else if (name.endsWith(ArchivePublication.REPLACED)
            && STAGING.matcher(withoutSuffix(name)).matches()) {
          bringBack(leftover, volume);
        }
      }
    }
  }

  private static String withoutSuffix(String name) {
    return name.substring(0, name.length() - ArchivePublication.REPLACED.length());
  }

  private static void bringBack(Path replaced, Path volume) throws IOException {
    try (DirectoryStream<Path> names = Files.newDirectoryStream(replaced)) {
      for (Path old : names) {
        Path place = volume.resolve(old.getFileName());
        FileTree.delete(place);
        Files.move(old, place, StandardCopyOption.ATOMIC_MOVE);
      }
    }
    Files.delete(replaced);
  }
}
