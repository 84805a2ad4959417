package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The files below a directory, opened on demand.
final class DirectoryFiles implements NamedFiles {
  private final Path directory;
  private final Set<FileChannel> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /// Opens a directory.
  ///
  /// @throws SourceNotFoundException if there is no such directory
  /// @throws SourceDeniedException if this process may not search a directory above this directory
  DirectoryFiles(Path directory) throws IOException {
    LocalFile.requireDirectory(directory);
    this.directory = directory;
  }

  @Override
  public boolean contains(String name) {
    // The result is also true for a file that this process may not read, and for a symbolic link
    // whose target does not exist. In both cases, opening the file throws an exception with the
    // reason.
    return Files.exists(directory.resolve(name), LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public FileSection open(String name) throws IOException {
    FileChannel channel = LocalFile.open(directory.resolve(name));
    open.add(channel);
    try {
      if (closed) {
        throw new ClosedChannelException();
      }
      return new FileSection(channel, 0, channel.size(), () -> close(channel));
    } catch (IOException e) {
      close(channel);
      throw e;
    }
  }

  private void close(FileChannel channel) throws IOException {
    open.remove(channel);
    channel.close();
  }

  @Override
  public void close() throws IOException {
    closed = true;
    for (FileChannel channel : open) {
      close(channel);
    }
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
