package dev.pvcpopulators.registrystreamiscsi.storage;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.diskimage.archive.FileTree;
import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import dev.pvcpopulators.volume.Notation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/// Reads and writes the small documents in the volume's directory, and creates, lists and removes
/// directories. Documents are written atomically.
public final class Documents {
  /// The maximum length of a document that is read, in bytes.
  private static final int MAX_LENGTH = 256 * 1024;

  /// The maximum number of attempts to remove a directory to which another thread adds files.
  private static final int MAX_WALKS = 10;

  private Documents() {}

  /// Writes a document atomically: writes a file with a temporary name, flushes the file to stable
  /// storage, and renames the file.
  public static void write(Path directory, String name, JsonNode document) throws IOException {
    Path unfinished = directory.resolve(name + ".new");
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING,
            LinkOption.NOFOLLOW_LINKS)) {
      writeAll(channel, unfinished, ByteBuffer.wrap(Notation.JSON.write(document)), 0);
      // If the storage fails, `NativeFile` reports the error number; the channel does not.
      try (NativeFile written = NativeFile.openToWrite(unfinished, NativeFile.Links.REFUSED)) {
        written.sync();
      }
    } catch (IOException e) {
      Files.deleteIfExists(unfinished);
      throw e;
    }
    Files.move(unfinished, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    syncDirectory(directory);
  }

  /// Writes the buffer from its position to its limit.
  ///
  /// @param file the path of the channel's file
  /// @throws IOException a [SystemCallException] if the storage refuses the write. A channel
  ///   reports an error only as text, so the write is repeated by a system call to get the error
  ///   number
  public static void writeAll(FileChannel channel, Path file, ByteBuffer bytes, long offset)
      throws IOException {
    int start = bytes.position();
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes, offset + bytes.position() - start);
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      bytes.position(start);
      try (NativeFile again = NativeFile.openToWrite(file, NativeFile.Links.REFUSED)) {
        again.write(offset, bytes);
      } catch (SystemCallException numbered) {
        numbered.addSuppressed(e);
        throw numbered;
      }
    }
  }

  /// Creates a directory and its parents if they do not exist, and makes them durable.
  ///
  /// @return the given directory
  public static Path directory(Path directory) throws IOException {
    Path above = directory.getParent();
    if (!Files.isDirectory(directory) && above != null) {
      directory(above);
      Files.createDirectories(directory);
      syncDirectory(above);
    }
    return directory;
  }

  private static void syncDirectory(Path directory) throws IOException {
    try (Directory opened = Directory.open(directory)) {
      opened.sync();
    }
  }

  /// Reads a document written by [#write]. Does not open symbolic links or pipes, which another
  /// process may have put in the document's place.
  ///
  /// @throws IOException if the file does not exist or is not a valid document
  public static JsonNode read(Path file) throws IOException {
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

  /// Removes a directory of this service with its content, if it exists. Symbolic links in the
  /// directory are removed, not followed. Another thread, such as the thread of a pull that ends,
  /// may add and remove files during the removal.
  ///
  /// @throws DirectoryNotEmptyException if another thread repeatedly adds files
  public static void remove(Path directory) throws IOException {
    for (int walk = 1; Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS); walk++) {
      try {
        FileTree.delete(directory);
      } catch (DirectoryNotEmptyException e) {
        if (walk == MAX_WALKS) {
          throw e;
        }
      }
    }
  }

  /// Returns the entries of a directory of this service; none if it does not exist.
  public static List<Path> entries(Path directory) throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try (Stream<Path> listing = Files.list(directory)) {
      return listing.toList();
    }
  }

  /// Removes the subdirectories of a directory of this service, except those to keep.
  ///
  /// @param kept the names of the subdirectories to keep
  public static void removeAllBut(Path directory, List<String> kept) throws IOException {
    for (Path entry : entries(directory)) {
      if (!kept.contains(entry.getFileName().toString())) {
        remove(entry);
      }
    }
  }
}
