package dev.pvcpopulators.diskimage.archive;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.fuzz.Feed;
import dev.pvcpopulators.fuzz.MendedTar;
import dev.pvcpopulators.fuzz.Refusal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Fuzzes three operations on tar archives: unpack the archive, find a disk in the archive, and
/// read the entries of the archive. Each operation must succeed, or must refuse the archive with a
/// valid message. All unpacked files must be inside the target directory, and no symbolic link may
/// lead out of this directory.
///
/// The first byte of the input selects the operation, and whether this class first corrects the
/// checksums of the archive. The rest of the input is the archive.
public final class ArchiveFuzz {
  private static final int MOST_READ = 1 << 20;
  private static final ArchiveLimits LIMITS = new ArchiveLimits(100, 1 << 20);

  /// The set-user-ID bit, the set-group-ID bit and the sticky bit.
  private static final int SPECIAL_BITS = 07000;

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final Path PLACE = place();

  private ArchiveFuzz() {}

  private static Path place() {
    try {
      Path parent = Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : Path.of("/tmp");
      Path place = Files.createTempDirectory(parent, "archive-fuzz");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(place)));
      return place;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// Performs the selected operation on the archive.
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    Feed feed = new Feed(data);
    int how = feed.next();
    byte[] rest = feed.rest();
    byte[] tar = (how & 1) == 0 ? MendedTar.of(rest) : rest;
    try {
      switch ((how >> 1) & 3) {
        case 0, 1 -> unpack(tar);
        case 2 -> entries(tar);
        default -> disk(tar);
      }
    } catch (MalformedImageException | UnsupportedFeatureException | ExceedsVolumeException e) {
      Refusal.check(e);
    }
  }

  private static void unpack(byte[] tar) throws IOException {
    Path staging = PLACE.resolve("staging");
    try {
      long bytes = ArchiveUnpacker.unpack(new ByteArrayInputStream(tar), staging, LIMITS);
      if (bytes > LIMITS.bytes()) {
        throw new AssertionError("unpacked " + bytes + " bytes");
      }
      requireInside(staging);
    } finally {
      requireNothingBeside(staging);
      remove(staging);
    }
  }

  private static void requireNothingBeside(Path staging) throws IOException {
    try (Stream<Path> there = Files.list(PLACE)) {
      List<Path> others = there.filter(path -> !path.equals(staging)).toList();
      if (!others.isEmpty()) {
        throw new AssertionError("Outside of the directory: " + others);
      }
    }
  }

  private static void requireInside(Path staging) throws IOException {
    try (Stream<Path> all = Files.walk(staging)) {
      for (Path path : (Iterable<Path>) all::iterator) {
        if (Files.isSymbolicLink(path) && Files.exists(path)) {
          Path real = path.toRealPath();
          if (!real.startsWith(staging.toRealPath())) {
            throw new AssertionError(path + " leads to " + real);
          }
        } else if (!Files.isRegularFile(path, NOFOLLOW_LINKS)
            && !Files.isDirectory(path, NOFOLLOW_LINKS)
            && !Files.isSymbolicLink(path)) {
          throw new AssertionError(path + " is not a file, directory or symbolic link");
        }
        if (!Files.isSymbolicLink(path)
            && ((int) Files.getAttribute(path, "unix:mode", NOFOLLOW_LINKS) & SPECIAL_BITS) != 0) {
          throw new AssertionError(path + " has a set-ID bit or the sticky bit");
        }
      }
    }
  }

  private static void entries(byte[] tar) throws IOException {
    byte[] buffer = new byte[8192];
    try (TarReader entries = new TarReader(new ByteArrayInputStream(tar))) {
      long read = 0;
      Optional<TarEntry> next = TarEntry.next(entries);
      while (next.isPresent() && read < MOST_READ) {
        TarEntry entry = next.get();
        if (entry.name().contains("..") || entry.name().contains("")) {
          throw new AssertionError("a name contains an invalid component: " + entry.name());
        }
        if (entry.kind() == TarEntry.Kind.HARD_LINK) {
          entry.hardLinkTarget();
        }
        long length = 0;
        int count = 0;
        while (count >= 0 && length < MOST_READ) {
          length += count;
          count = entries.read(buffer, 0, buffer.length);
        }
        if (count < 0 && entry.kind() == TarEntry.Kind.FILE && length != entry.length()) {
          throw new AssertionError("expected " + entry.length() + " bytes, found " + length);
        }
        read += length;
        next = TarEntry.next(entries);
      }
    }
  }

  private static void disk(byte[] tar) throws IOException {
    byte[] buffer = new byte[8192];
    try (DiskInTar disk = DiskInTar.open(new ByteArrayInputStream(tar))) {
      long length = 0;
      int count = 0;
      while (count >= 0 && length < MOST_READ) {
        length += count;
        count = disk.read(buffer, 0, buffer.length);
      }
      if (count < 0 && length != disk.length()) {
        throw new AssertionError("expected " + disk.length() + " bytes, found " + length);
      }
    }
  }

  private static void remove(Path directory) {
    try {
      FileTree.delete(directory);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
