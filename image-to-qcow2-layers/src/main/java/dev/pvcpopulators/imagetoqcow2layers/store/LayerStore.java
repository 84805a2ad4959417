package dev.pvcpopulators.imagetoqcow2layers.store;

import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.LockFile;
import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import dev.pvcpopulators.registry.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The directory of layers. A layer's file with a valid record is complete, verified and on stable
/// storage. Thread-safe; several processes may use one directory.
///
/// The description of [StoreNames] lists the files in the directory. A layer's file may contain the
/// name of a backing file. In this class, only [#collect] opens a backing file by this name, and
/// only if the name has the form of a layer's name. The method [#collect] opens no file outside
/// this directory.
public final class LayerStore {
  private static final long POLL_MILLISECONDS = 25;

  /// The mode of a layer's file. The user that runs the machines is in the volume's group, and must
  /// not write to layers.
  private static final int MODE = 0640;

  private final Path directory;

  private final String registry;

  private LayerStore(Path directory, String registry) {
    this.directory = directory;
    this.registry = registry;
  }

  /// Opens the store without a registry, for example to remove layers. The returned store binds
  /// layers to blobs of a registry with an empty name.
  ///
  /// @param directory created if it is missing
  public static LayerStore open(Path directory) throws IOException {
    return open(directory, "");
  }

  /// Opens the store for an image.
  ///
  /// @param directory created if it is missing
  /// @param registry the registry that the image is pulled from; layers are bound only to blobs of
  ///   this registry
  public static LayerStore open(Path directory, String registry) throws IOException {
    Files.createDirectories(directory);
    return new LayerStore(directory, registry);
  }

  /// Returns the path of a layer, whether the layer exists or not.
  public Path file(LayerKey key) {
    return directory.resolve(key.fileName());
  }

  /// Returns the number of consecutive layers of a stack that exist, counted from the bottom.
  public int present(List<LayerKey> keys) throws IOException {
    try (Directory opened = Directory.open(directory)) {
      int count = 0;
      while (count < keys.size() && holds(opened, keys.subList(0, count + 1))) {
        count++;
      }
      return count;
    }
  }

  /// Returns whether the topmost layer of a stack exists with the expected head and a valid record.
  private boolean holds(Directory opened, List<LayerKey> stack) throws IOException {
    LayerKey key = stack.getLast();
    String below = stack.size() == 1 ? "" : stack.get(stack.size() - 2).fileName();
    LayerHead expected = new LayerHead(key.geometry().size(), below);
    return LayerHead.read(opened, key.fileName()).filter(expected::equals).isPresent()
        && LayerRecord.read(directory, key.fileName()).isPresent();
  }

  /// Returns whether a layer is bound to a blob. A layer is bound if the store has the layer
  /// unchanged, and if a verified pull from the same registry has shown that the blob contains this
  /// layer.
  public boolean bound(LayerKey key, Digest blob) throws IOException {
    return LayerRecord.read(directory, key.fileName())
        .filter(proofs -> proofs.contains(proof(blob)))
        .isPresent();
  }

  /// Records that a blob contains an existing layer.
  ///
  /// @param blob the blob; its digest and the diff ID of its tar were verified
  public void bind(LayerKey key, Digest blob) throws IOException {
    LayerRecord.add(directory, key.fileName(), proof(blob));
  }

  private LayerRecord.Proof proof(Digest blob) {
    return new LayerRecord.Proof(blob, registry);
  }

  /// Makes a layer.
  @FunctionalInterface
  public interface Maker {
    /// Writes the complete file of the layer. The caller flushes the file to stable storage.
    ///
    /// @param file a path in the store's directory, at which no file exists
    void make(Path file) throws IOException;
  }

  /// Makes the topmost layer of a stack unless it exists. A second caller, in any process, waits
  /// for the first caller, and makes the layer only if the first caller failed.
  ///
  /// @param stack the stack, from the bottom up
  /// @param blob the blob that the maker verifies; a layer that this call makes is bound to this
  ///   blob
  /// @return whether this call made the layer
  public boolean make(List<LayerKey> stack, Digest blob, Maker maker)
      throws IOException, InterruptedException {
    String name = stack.getLast().fileName();
    try (Directory opened = Directory.open(directory)) {
      while (!holds(opened, stack)) {
        Optional<LockFile> acquired = LockFile.tryTemporary(opened, StoreNames.lock(name));
        if (acquired.isPresent()) {
          try (LockFile _ = acquired.get()) {
            return !holds(opened, stack) && makeLocked(opened, name, blob, maker);
          }
        }
        Thread.sleep(POLL_MILLISECONDS);
      }
      return false;
    }
  }

  private boolean makeLocked(Directory opened, String name, Digest blob, Maker maker)
      throws IOException {
    removeMaking(opened, name);
    String making = StoreNames.making(name);
    boolean published = false;
    try {
      maker.make(directory.resolve(making));
      try (NativeFile file = opened.openToRead(making)) {
        file.setMode(MODE);
        file.sync();
      }
      // A file that already has this name is not a valid layer, because `holds` was false.
      published = publish(opened, making, name, opened.status(name).isPresent());
      if (published) {
        // The record contains the file's change time. The rename changes this time, so the record
        // is written after the rename.
        LayerRecord.write(directory, name, List.of(proof(blob)));
      }
      return published;
    } finally {
      if (!published) {
        opened.removeIfPresent(making);
      }
    }
  }

  /// Renames a complete layer to its final name.
  ///
  /// @return false if another process published the same layer, which is possible only on a file
  ///   system without locks
  private static boolean publish(Directory opened, String making, String name, boolean replace)
      throws IOException {
    try {
      opened.rename(making, name, replace);
    } catch (SystemCallException e) {
      if (e.alreadyExists()) {
        return false;
      }
      throw e;
    }
    opened.sync();
    return true;
  }

  /// Removes the unfinished files of one layer, which remain after a crash. The caller must hold
  /// the lock of the layer.
  private void removeMaking(Directory opened, String layer) throws IOException {
    for (String name : names()) {
      if (StoreNames.made(name).filter(layer::equals).isPresent()) {
        opened.removeIfPresent(name);
      }
    }
  }

  /// Protects layers from removal until the result is closed or the process ends. The layers need
  /// not exist yet. [StackConversion] keeps the result open while it runs.
  public LayerUse use(List<LayerKey> keys) throws IOException {
    return LayerUse.begin(directory, keys.stream().map(LayerKey::fileName).toList());
  }

  /// Removes the files that a crash left, unless a process uses them.
  public void removeLeftovers() throws IOException {
    // `LayerUse` creates its file and locks it in two steps; the lock of `lockUses` prevents a
    // removal between the two steps.
    try (Directory opened = Directory.open(directory);
        LockFile _ = LayerUse.lockUses(opened)) {
      for (String name : names()) {
        Optional<String> layer = StoreNames.made(name);
        if (layer.isPresent()) {
          removeUnlocked(opened, StoreNames.lock(layer.get()), name);
        } else if (name.startsWith(StoreNames.MAKING_RECORD)) {
          String record = name.substring(StoreNames.MAKING_RECORD.length());
          String of = record.substring(0, Math.max(0, record.lastIndexOf('-')));
          removeUnlocked(opened, StoreNames.lock(of), name);
        } else if (name.startsWith(StoreNames.RECORD)) {
          removeRecord(opened, name.substring(StoreNames.RECORD.length()));
        } else if (name.startsWith(StoreNames.LOCK) || name.startsWith(StoreNames.USE)) {
          removeUnlocked(opened, name, name);
        }
      }
    }
  }

  /// Removes the record of a layer if the layer does not exist.
  private static void removeRecord(Directory opened, String layer) throws IOException {
    if (opened.status(layer).isEmpty()) {
      opened.removeIfPresent(StoreNames.record(layer));
    }
  }

  private static void removeUnlocked(Directory opened, String lock, String name)
      throws IOException {
    Optional<LockFile> acquired = LockFile.tryTemporary(opened, lock);
    if (acquired.isPresent()) {
      try (LockFile _ = acquired.get()) {
        opened.removeIfPresent(name);
      }
    }
  }

  /// Removes unneeded layers of every version, size and compression.
  ///
  /// @param needed file names of needed layers; the backing files of these layers, and the layers
  ///   that [#use] protects, are also kept
  /// @return the removed layers
  public List<Removed> collect(Set<String> needed) throws IOException {
    try (Directory opened = Directory.open(directory);
        LockFile _ = LayerUse.lockUses(opened)) {
      Set<String> kept = new HashSet<>();
      for (String name : needed) {
        keep(opened, name, kept);
      }
      for (String name : names()) {
        if (name.startsWith(StoreNames.USE)) {
          for (String used : LayerUse.read(opened, name)) {
            keep(opened, used, kept);
          }
        }
      }
      return remove(opened, kept);
    }
  }

  private static void keep(Directory opened, String name, Set<String> kept) throws IOException {
    String next = name;
    while (StoreNames.layer(next) && kept.add(next)) {
      next = LayerHead.read(opened, next).map(LayerHead::backingName).orElse("");
    }
  }

  private List<Removed> remove(Directory opened, Set<String> kept) throws IOException {
    List<Removed> removed = new ArrayList<>();
    for (String name : names()) {
      if (StoreNames.layer(name) && !kept.contains(name)) {
        long bytes = opened.status(name).map(status -> status.allocated()).orElse(0L);
        opened.removeIfPresent(StoreNames.record(name));
        if (opened.removeIfPresent(name)) {
          removed.add(new Removed(name, bytes));
        }
      }
    }
    if (!removed.isEmpty()) {
      opened.sync();
    }
    return removed;
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /// A removed layer.
  ///
  /// @param bytes the number of bytes that the layer occupied on the volume
  public record Removed(String fileName, long bytes) {}
}
