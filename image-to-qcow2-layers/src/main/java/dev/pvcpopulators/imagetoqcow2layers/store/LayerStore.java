package dev.pvcpopulators.imagetoqcow2layers.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// The directory of layers. A file that stands under its name is whole, verified and on stable
/// storage. For several threads, and several processes on one directory.
@SuppressWarnings("DoNotCallSuggester")
public final class LayerStore {
  private LayerStore() {}

  /// Opens the store.
  ///
  /// @param directory is made where it is missing
  public static LayerStore open(Path directory) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Where a layer is or will be.
  public Path file(LayerKey key) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// How many layers of a stack, from the bottom up, are there.
  public int present(List<LayerKey> keys) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// What makes a layer.
  @FunctionalInterface
  public interface Maker {
    /// Writes the file, to stable storage.
    ///
    /// @param file does not exist; in the store's directory
    void make(Path file) throws IOException;
  }

  /// Makes a layer, unless it is there. Whoever comes second, in whatever process, waits for the
  /// first, and makes the layer only if that one failed.
  ///
  /// @return whether it was made now
  public boolean make(LayerKey key, Maker maker) throws IOException, InterruptedException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Removes what a crash left, where no process works on it.
  public void removeLeftovers() throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Removes layers that are not needed.
  ///
  /// @param needed file names; what they lie over is needed as well
  /// @return what was removed
  public List<Removed> collect(Set<String> needed) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// A layer that was removed.
  ///
  /// @param bytes that it took on the volume
  public record Removed(String fileName, long bytes) {}
}
