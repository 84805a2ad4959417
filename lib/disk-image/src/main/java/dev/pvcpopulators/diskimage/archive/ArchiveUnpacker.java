package dev.pvcpopulators.diskimage.archive;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Unpacks a tar stream into a new directory and keeps every entry inside that directory.
///
/// - Unpacked: regular files (sparse files with their holes), directories, symbolic links to
///   targets inside the directory, hard links to regular files that precede them in the archive,
///   and the modification times of regular files. Permissions are unpacked without the set-user-ID,
///   set-group-ID and sticky bits. The owner always gets read and write access, and for directories
///   also execute access.
/// - Ignored: owners, extended attributes.
/// - Refused: names that are absolute, that contain `..`, or that lead through a symbolic link;
///   names that the next start of the service could delete as leftovers ([EntryName#reserved]);
///   symbolic links and hard links with targets other than those above; devices and FIFOs; archives
///   that exceed the limits.
///
/// If two entries have the same name, the later entry replaces the earlier one. But if only one of
/// them is a directory, the archive is refused.
///
/// The staging directory is private: this class creates it, and its contents are hidden until
/// [ArchivePublication] moves them into place.
public final class ArchiveUnpacker {
  private static final int OWNER_READ = 0400;
  private static final int BUFFER_LENGTH = 256 << 10;

  private final Path root;
  private final ArchiveLimits limits;
  private final byte[] buffer = new byte[BUFFER_LENGTH];
  private long entries;
  private long bytes;

  private ArchiveUnpacker(Path root, ArchiveLimits limits) {
    this.root = root;
    this.limits = limits;
  }

  /// Unpacks the whole stream. On failure, the caller must delete the staging directory.
  ///
  /// @param tar not compressed; read to its end and closed
  /// @param staging the directory to create; its parent exists
  /// @return bytes of all file entries together, holes included
  /// @throws MalformedImageException if the archive is damaged or an entry is refused
  /// @throws UnsupportedFeatureException for unsupported types of entries, for names that this
  ///   process's locale cannot encode, and for too many entries
  /// @throws ExceedsVolumeException if the files exceed the limit of bytes
  public static long unpack(InputStream tar, Path staging, ArchiveLimits limits)
      throws IOException {
    try (TarReader reader = new TarReader(tar)) {
      Files.createDirectory(staging);
      ArchiveUnpacker unpacker = new ArchiveUnpacker(staging, limits);
      Optional<TarMember> entry = reader.next();
      if (entry.isEmpty()) {
        throw new MalformedImageException("tar archive", 0, "it has no entry");
      }
      while (entry.isPresent()) {
        unpacker.unpack(reader, entry.get());
        entry = reader.next();
      }
      reader.drain();
      unpacker.checkLinks();
      return unpacker.bytes;
    }
  }

  private void unpack(TarReader reader, TarMember entry) throws IOException {
    entries++;
    if (entries > limits.entries()) {
      throw new UnsupportedFeatureException(
          "The archive has more than " + limits.entries() + " entries");
    }
    EntryName name = EntryName.parse(entry.name().toString());
    if (name.root()) {
      if (entry.type() != TarMember.Type.DIRECTORY) {
        throw refused(entry, "it has no name");
      }
      return;
    }
    if (name.reserved()) {
      throw refused(entry, "the name is reserved for files that the next start removes");
    }
    Path path = name.below(root);
    switch (entry.type()) {
      case DIRECTORY -> {
        createDirectories(entry, path);
        Files.setPosixFilePermissions(path, permissions(entry, PosixFilePermission.OWNER_EXECUTE));
      }
      case SYMBOLIC_LINK -> {
        makeRoom(entry, path);
        Files.createSymbolicLink(path, linkText(entry));
      }
      case HARD_LINK -> createHardLink(entry, path);
      case FILE -> createFile(reader, entry, path);
      case CHARACTER_DEVICE, BLOCK_DEVICE, FIFO, OTHER ->
          throw new UnsupportedFeatureException(
              "tar entry "
                  + entry.quoted()
                  + ": devices, FIFOs and other special files are not supported");
    }
  }

  private void createFile(TarReader reader, TarMember entry, Path path) throws IOException {
    long length = entry.length();
    if (length > limits.bytes() - bytes) {
      throw ExceedsVolumeException.tooLarge(
          length > Long.MAX_VALUE - bytes ? Long.MAX_VALUE : bytes + length, limits.bytes());
    }
    bytes += length;
    makeRoom(entry, path);
    try (SparseFile file = SparseFile.create(path)) {
      int count = reader.read(buffer, 0, buffer.length);
      while (count >= 0) {
        file.append(buffer, count);
        count = reader.read(buffer, 0, buffer.length);
      }
      if (file.length() != length) {
        throw refused(entry, "expected " + length + " bytes, found " + file.length());
      }
    }
    Files.setPosixFilePermissions(path, permissions(entry, PosixFilePermission.OWNER_READ));
    Files.setLastModifiedTime(path, FileTime.from(entry.modified()));
  }

  private void createHardLink(TarMember entry, Path path) throws IOException {
    Path target = EntryName.parse(entry.linkName().toString()).below(root);
    requireDirectories(entry, target.getParent());
    if (!Files.isRegularFile(target, NOFOLLOW_LINKS)) {
      throw refused(
          entry,
          "its target " + Quoted.of(entry.linkName().toString()) + " is not a file before it");
    }
    if (!target.equals(path)) {
      makeRoom(entry, path);
      Files.createLink(path, target);
    }
  }

  /// Creates the parent directories, and removes an earlier entry with this name, because a later
  /// entry replaces an earlier one. If the earlier entry is a directory, the archive is refused.
  private void makeRoom(TarMember entry, Path path) throws IOException {
    createDirectories(entry, path.getParent());
    if (Files.isDirectory(path, NOFOLLOW_LINKS)) {
      throw refused(entry, "a directory of the same name precedes it");
    }
    // The earlier file is not overwritten, because it may have other hard links.
    Files.deleteIfExists(path);
  }

  private void createDirectories(TarMember entry, @Nullable Path directory) throws IOException {
    if (directory == null || directory.equals(root)) {
      return;
    }
    if (!Files.isDirectory(directory, NOFOLLOW_LINKS)) {
      createDirectories(entry, directory.getParent());
      if (LinkTarget.exists(directory)) {
        throw refused(entry, "a component of its name is not a directory");
      }
      Files.createDirectory(directory);
    } else {
      requireDirectories(entry, directory);
    }
  }

  /// Checks that each component of the path is a directory. A check of only the last component
  /// would follow symbolic links among the earlier components.
  private void requireDirectories(TarMember entry, @Nullable Path directory) throws IOException {
    for (Path at = directory; at != null && !at.equals(root); at = at.getParent()) {
      if (!Files.isDirectory(at, NOFOLLOW_LINKS)) {
        throw refused(entry, "a component of its name is not a directory");
      }
    }
  }

  private static Path linkText(TarMember entry) throws IOException {
    String text = entry.linkName().toString();
    if (text.isEmpty() || text.startsWith("/") || text.length() > ArchiveLimits.NAME_LENGTH) {
      throw refused(entry, "its target is absolute, empty or too long");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw refused(entry, "its target is not a valid name: " + e.getReason());
    }
  }

  /// Checks the symbolic links. All entries must be unpacked before this check, because the path to
  /// the target of a symbolic link may contain a symbolic link that is unpacked later.
  private void checkLinks() throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isSymbolicLink()) {
              LinkTarget.checkInside(root, file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static Set<PosixFilePermission> permissions(TarMember entry, PosixFilePermission always) {
    PosixFilePermission[] highestBitFirst = PosixFilePermission.values();
    // This process owns the entries and must be able to move and delete them.
    Set<PosixFilePermission> permissions =
        EnumSet.of(always, PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    for (int i = 0; i < highestBitFirst.length; i++) {
      if ((entry.mode() & OWNER_READ >> i) != 0) {
        permissions.add(highestBitFirst[i]);
      }
    }
    return permissions;
  }

  private static MalformedImageException refused(TarMember entry, String reason) {
    return new MalformedImageException("tar entry " + entry.quoted(), -1, reason);
  }
}
