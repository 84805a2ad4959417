package dev.pvcpopulators.imagetoqcow2layers;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// A shared lock for conversions, exclusive for clean-ups: it keeps layers from being removed that
/// a conversion is about to use. The kernel releases it when the process ends in any way.
final class ConversionLock implements AutoCloseable {
  private static final String FILE = ".store.lock";

  private final FileChannel channel;

  private ConversionLock(FileChannel channel) {
    this.channel = channel;
  }

  /// Waits until no clean-up runs.
  static ConversionLock toConvert(StoreLayout store) throws IOException {
    FileChannel channel = open(store.root());
    try {
      channel.lock(0, Long.MAX_VALUE, true);
      return new ConversionLock(channel);
    } catch (IOException | OverlappingFileLockException e) {
      try (channel) {
        throw e;
      }
    }
  }

  /// Returns empty while a conversion or a clean-up runs.
  static Optional<ConversionLock> toCollect(StoreLayout store) throws IOException {
    FileChannel channel = open(store.root());
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return Optional.of(new ConversionLock(channel));
      }
    } catch (OverlappingFileLockException _) {
      // Another thread of this process holds the lock; the result is the same.
    } catch (IOException e) {
      try (channel) {
        throw e;
      }
    }
    channel.close();
    return Optional.empty();
  }

  private static FileChannel open(Path root) throws IOException {
    Files.createDirectories(root);
    return FileChannel.open(
        root.resolve(FILE),
        StandardOpenOption.CREATE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
