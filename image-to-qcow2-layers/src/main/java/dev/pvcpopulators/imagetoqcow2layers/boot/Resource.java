package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// Files that lie beside this package's classes: scripts.
final class Resource {
  private Resource() {}

  /// All of one.
  ///
  /// @throws IllegalStateException where it was left out when this was built
  static byte[] bytes(String name) {
    try (InputStream stream = Resource.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IllegalStateException("Built without " + name);
      }
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }
}
