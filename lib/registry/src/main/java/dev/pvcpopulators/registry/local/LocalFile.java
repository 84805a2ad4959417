package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/// Opens files for reading, and translates failures into exceptions such as
/// [SourceNotFoundException].
final class LocalFile {
  private LocalFile() {}

  /// Opens a regular file. The path may be a symbolic link to the file, because tools that share
  /// blobs between layouts use such links.
  ///
  /// @return the channel of the file; owned by the caller
  /// @throws SourceNotFoundException if the file does not exist, or is not a regular file
  /// @throws SourceDeniedException if this process may not read the file, or may not search a
  ///   directory above the file
  /// @throws SourceUnavailableException if the system cannot open the file for another reason
  static FileChannel open(Path file) throws IOException {
    // The type is checked before opening, because opening a pipe would wait for the pipe's writer.
    if (!attributes(file).isRegularFile()) {
      throw new SourceNotFoundException("Cannot read " + file + ": it is not a regular file");
    }
    try {
      return FileChannel.open(file, StandardOpenOption.READ);
    } catch (FileSystemException e) {
      throw sorted(file, e);
    }
  }

  /// Requires that a path is a directory, or a symbolic link to a directory.
  ///
  /// @throws SourceNotFoundException if the path does not exist, or is not a directory
  /// @throws SourceDeniedException if this process may not search a directory above the path
  /// @throws SourceUnavailableException if the system cannot read the attributes of the path for
  ///   another reason
  static void requireDirectory(Path directory) throws IOException {
    if (!attributes(directory).isDirectory()) {
      throw new SourceNotFoundException("Cannot read " + directory + ": it is not a directory");
    }
  }

  private static BasicFileAttributes attributes(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class);
    } catch (FileSystemException e) {
      throw sorted(path, e);
    }
  }

  private static IOException sorted(Path path, FileSystemException e) {
    return switch (e) {
      case NoSuchFileException _ ->
          new SourceNotFoundException("Cannot read " + path + ": it does not exist", e);
      case AccessDeniedException _ ->
          new SourceDeniedException(
              "Cannot read "
                  + path
                  + ": its permissions, or those of a directory above it, forbid it",
              e);
      // The reason may be an error of the device, a stale network mount, or too many open files.
      case FileSystemException _ ->
          new SourceUnavailableException("Cannot read " + path + ": " + e.getReason(), e);
    };
  }
}
