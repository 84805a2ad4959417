package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The paths in a store.
///
/// @param root the store's directory
public record StoreLayout(Path root) {
  /// The lock file. The lock on this file prevents the removal of layers that a conversion is about
  /// to use.
  private static final String LOCK = ".store.lock";

  static StoreLayout of(PopulatorSettings shared, LayersSettings settings) {
    return new StoreLayout(settings.store().orElse(shared.target()));
  }

  /// Returns the directory of the layers' files.
  Path layers() {
    return root.resolve("layers");
  }

  /// Returns the directory of machines, which has one directory per machine.
  Path images() {
    return root.resolve("images");
  }

  /// Acquires the lock of a conversion. The caller must close the lock. Several conversions can
  /// hold this lock at the same time. Waits while a clean-up runs.
  LockFile lockToConvert() throws IOException, InterruptedException {
    Files.createDirectories(root);
    try (Directory directory = Directory.open(root)) {
      return LockFile.await(() -> LockFile.tryShared(directory, LOCK));
    }
  }

  /// Acquires the lock of a clean-up. The caller must close the lock. Does not wait: returns empty
  /// while a conversion or another clean-up runs.
  Optional<LockFile> tryLockToCollect() throws IOException {
    Files.createDirectories(root);
    try (Directory directory = Directory.open(root)) {
      return LockFile.tryExclusive(directory, LOCK);
    }
  }
}
