package dev.pvcpopulators.registrystreamiscsi;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.volume.Notation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// Small documents in the cache: whole or not there at all.
final class Documents {
  /// The longest document that is read, in bytes.
  private static final int MAX_LENGTH = 256 * 1024;

  private Documents() {}

  /// Writes the document under a temporary name, makes it durable, and gives it its name.
  static void write(Path directory, String name, JsonNode document) throws IOException {
    Path unfinished = directory.resolve(name + ".new");
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING,
            LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer bytes = ByteBuffer.wrap(Notation.JSON.write(document));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    } catch (IOException e) {
      Files.deleteIfExists(unfinished);
      throw e;
    }
    Files.move(unfinished, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    syncDirectory(directory);
  }

  /// Makes a directory where it is missing, with its parents, so that they outlive a loss of power.
  ///
  /// @return the same
  static Path directory(Path directory) throws IOException {
    Path above = directory.getParent();
    if (!Files.isDirectory(directory) && above != null) {
      directory(above);
      Files.createDirectories(directory);
      syncDirectory(above);
    }
    return directory;
  }

  private static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /// Reads one that was written here; what somebody else put in its place may be a link to another
  /// file of this machine, or a pipe that nobody writes to.
  ///
  /// @throws IOException where there is none, or it cannot be read as one
  static JsonNode read(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(file + ": expected a file");
    }
    byte[] bytes;
    try (InputStream stream =
        Files.newInputStream(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      bytes = stream.readNBytes(MAX_LENGTH + 1);
    }
    if (bytes.length > MAX_LENGTH) {
      throw new IOException(file + ": expected at most " + MAX_LENGTH + " bytes");
    }
    return Notation.JSON.read(bytes);
  }

  /// Removes a directory of ours with what is in it; not being there is fine. Links are removed,
  /// not followed.
  static void remove(Path directory) throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(directory)) {
      paths = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : paths) {
      Files.deleteIfExists(path);
    }
  }

  /// Removes the directories in a directory of ours, but for some.
  ///
  /// @param kept their names
  static void removeAllBut(Path directory, List<String> kept) throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    List<Path> entries;
    try (Stream<Path> listing = Files.list(directory)) {
      entries = listing.toList();
    }
    for (Path entry : entries) {
      if (!kept.contains(entry.getFileName().toString())) {
        remove(entry);
      }
    }
  }
}
