package dev.pvcpopulators.kit.disk;

import dev.pvcpopulators.diskimage.ImageFormat;
import java.util.Optional;

/// Parses the setting, or the field of a request, that names the format of a disk.
public final class FormatSetting {
  /// All valid values, for an error message: the text after "expected".
  public static final String VALUES = "auto, " + ImageFormat.NAMES;

  private FormatSetting() {}

  /// Reads a value.
  ///
  /// @return empty for `auto`
  /// @throws IllegalArgumentException for an unknown word
  public static Optional<ImageFormat> parse(String name) {
    if (name.equalsIgnoreCase("auto")) {
      return Optional.empty();
    }
    return Optional.of(
        ImageFormat.named(name)
            .orElseThrow(() -> new IllegalArgumentException("Expected " + VALUES)));
  }
}
