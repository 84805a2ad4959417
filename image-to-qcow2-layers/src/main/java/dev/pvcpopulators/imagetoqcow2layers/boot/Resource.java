package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// Reads the scripts and templates of this package from the class path.
final class Resource {
  private Resource() {}

  /// Returns the whole content of a UTF-8 file as text. Throws [IllegalStateException] if the build
  /// did not include the file.
  static String text(String name) {
    return new String(bytes(name), UTF_8);
  }

  /// Returns the whole content of a file.
  ///
  /// @throws IllegalStateException if the build did not include the file
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
