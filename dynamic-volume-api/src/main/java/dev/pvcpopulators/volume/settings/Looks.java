package dev.pvcpopulators.volume.settings;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/// What files and directories must be that settings name.
public final class Looks {
  private Looks() {}

  /// A file that can be read.
  public static NamedFiles.Look file() {
    return path -> {
      if (Files.isDirectory(path)) {
        return Optional.of("a directory");
      }
      try (InputStream _ = Files.newInputStream(path)) {
        return Optional.empty();
      }
    };
  }

  /// A file with some text. The text is not part of what is said.
  ///
  /// @param maxBytes more is refused
  /// @param right what the text must be, without blanks around it
  /// @param otherwise what is said where it is not
  public static NamedFiles.Look text(int maxBytes, Predicate<String> right, String otherwise) {
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

  /// A directory.
  ///
  /// @param written whether something is to be put into it
  public static NamedFiles.Look directory(boolean written) {
    return path -> {
      if (!Files.exists(path)) {
        return Optional.of("no such directory");
      }
      return Files.isDirectory(path) ? use(path, written) : Optional.of("not a directory");
    };
  }

  /// A volume: a directory or a device.
  ///
  /// @param written whether something is to be put into it
  public static NamedFiles.Look volume(boolean written) {
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
      return Optional.of("not readable by the user that this runs as");
    }
    return written && !Files.isWritable(path)
        ? Optional.of("not writable by the user that this runs as")
        : Optional.empty();
  }
}
