package dev.pvcpopulators.kit.settings;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/// Checks of the files and directories that settings name.
public final class PathChecks {
  private PathChecks() {}

  /// Requires a readable file.
  public static NamedFiles.Check file() {
    return path -> {
      if (Files.isDirectory(path)) {
        return Optional.of("a directory");
      }
      try (InputStream _ = Files.newInputStream(path)) {
        return Optional.empty();
      }
    };
  }

  /// Requires a file whose text satisfies a condition. The message does not contain the text.
  ///
  /// @param maxBytes the maximum length of the file in bytes
  /// @param right the condition; it tests the text without leading and trailing white space
  /// @param otherwise the message if the condition does not hold
  public static NamedFiles.Check text(int maxBytes, Predicate<String> right, String otherwise) {
    return path -> {
      if (Files.isDirectory(path)) {
        return Optional.of("a directory");
      }
      byte[] bytes;
      try (InputStream in = Files.newInputStream(path)) {
        bytes = in.readNBytes(maxBytes + 1);
      }
      if (bytes.length > maxBytes) {
        return Optional.of("more than " + maxBytes + " bytes");
      }
      String text = new String(bytes, StandardCharsets.UTF_8).strip();
      return right.test(text) ? Optional.empty() : Optional.of(otherwise);
    };
  }

  /// Requires a readable directory.
  ///
  /// @param written whether the directory must also be writable
  public static NamedFiles.Check directory(boolean written) {
    return path -> {
      if (!Files.exists(path)) {
        return Optional.of("no such directory");
      }
      return Files.isDirectory(path) ? use(path, written) : Optional.of("not a directory");
    };
  }

  /// Requires a readable volume: a directory or a device.
  ///
  /// @param written whether the volume must also be writable
  public static NamedFiles.Check volume(boolean written) {
    return path -> {
      if (!Files.exists(path)) {
        return Optional.of("no such directory or device");
      }
      if (Files.isRegularFile(path)) {
        return Optional.of("a file");
      }
      return use(path, written);
    };
  }

  private static Optional<String> use(Path path, boolean written) throws IOException {
    if (!Files.isReadable(path)) {
      return Optional.of("not readable by the user that this process runs as");
    }
    return written && !Files.isWritable(path)
        ? Optional.of("not writable by the user that this process runs as")
        : Optional.empty();
  }
}
