package dev.pvcpopulators.imagetoqcow2layers.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.LockFile;
import dev.pvcpopulators.linux.NativeFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The layers that a conversion needs. These layers are not removed while this object is open.
///
/// A locked file contains the names of the layers. If the process ends without closing this object,
/// the system releases the lock, and the next call of [#read] removes the file.
public final class LayerUse implements Closeable {
  /// The maximum length of the file in bytes. The file is much shorter, because an image has at
  /// most [dev.pvcpopulators.registry.RegistryLimits#LAYERS] layers.
  private static final int MAX_LENGTH = 1 << 20;

  private final Directory directory;
  private final String name;
  private final NativeFile file;

  private LayerUse(Directory directory, String name, NativeFile file) {
    this.directory = directory;
    this.name = name;
    this.file = file;
  }

  static LayerUse begin(Path path, List<String> layers) throws IOException {
    Directory directory = Directory.open(path);
    try (LockFile _ = lockUses(directory)) {
      String name = StoreNames.use();
      NativeFile file = directory.create(name, false);
      LayerUse use = new LayerUse(directory, name, file);
      try {
        // This code locks the file before it releases the lock of `lockUses`. After this release,
        // any process may remove an unlocked file.
        if (!file.lock()) {
          throw new IOException("Cannot lock the new file " + name);
        }
        file.write(0, ByteBuffer.wrap(String.join("\n", layers).getBytes(US_ASCII)));
        return use;
      } catch (IOException e) {
        directory.removeIfPresent(name);
        try (file) {
          throw e;
        }
      }
    } catch (IOException e) {
      try (directory) {
        throw e;
      }
    }
  }

  /// Acquires the lock that is held while layers or leftovers are removed, and during [#begin].
  /// Waits while another holder has the lock. Every holder keeps the lock only briefly.
  static LockFile lockUses(Directory directory) throws IOException {
    try {
      return LockFile.await(() -> LockFile.tryTemporary(directory, StoreNames.COLLECT));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("Interrupted while waiting for " + StoreNames.COLLECT);
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  /// Reads a file that [#begin] created, and returns the names of layers that it lists. If the
  /// process that created the file has ended, removes the file and returns an empty list. The
  /// caller must hold the lock of [#lockUses].
  static List<String> read(Directory directory, String name) throws IOException {
    if (directory.status(name).isEmpty()) {
      return List.of();
    }
    Optional<LockFile> dead = LockFile.tryTemporary(directory, name);
    if (dead.isPresent()) {
      dead.get().close();
      return List.of();
    }
    try (NativeFile file = directory.openToRead(name);
        Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(Math.clamp(file.status().length(), 1, MAX_LENGTH));
      int length = (int) file.read(0, text);
      byte[] bytes = text.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
      return List.of(new String(bytes, US_ASCII).split("\n", -1));
    }
  }

  @Override
  public void close() throws IOException {
    try (directory;
        file) {
      directory.removeIfPresent(name);
    }
  }
}
