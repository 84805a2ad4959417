package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.registry.SourceDeniedException;
import dev.pvcpopulators.registry.SourceNotFoundException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Opens files for reading and says in the words of a source why it cannot.
final class LocalFile {
  private LocalFile() {}

  /// Opens a regular file, or a symbolic link to one: stores that share blobs link them.
  ///
  /// @return owned by the caller
  /// @throws SourceNotFoundException where there is none, or it is something else
  /// @throws SourceDeniedException where this process may not read it
  static FileChannel open(Path file) throws IOException {
    try {
      // Asked before opening, because opening a pipe would wait for its writer.
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        throw new SourceNotFoundException("Cannot read " + file + ": it is not a regular file");
      }
      return FileChannel.open(file, StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      throw new SourceNotFoundException("Cannot read " + file + ": there is no such file", e);
    } catch (AccessDeniedException e) {
      throw new SourceDeniedException(
          "Cannot read " + file + ": its permissions or those of a directory above forbid it", e);
    }
  }
}
