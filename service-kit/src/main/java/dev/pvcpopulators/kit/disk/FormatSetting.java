package dev.pvcpopulators.kit.disk;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.kit.settings.Mistakes;
import java.util.Optional;

/// Parses the name of a disk's format, which a setting or a field of a request contains.
public final class FormatSetting {
  /// All valid values, for an error message: the text after "expected".
  private static final String VALUES = "auto, " + ImageFormat.NAMES;

  private FormatSetting() {}

  /// Reports the value of a setting as a mistake if it is not the name of a format.
  public static void check(String variable, String name, Mistakes found) {
    found.parse(variable, Optional.of(name), VALUES, FormatSetting::parse);
  }

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
