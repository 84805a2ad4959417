package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.util.Locale;
import java.util.regex.Pattern;

/// The platform of an image. Operating systems and architectures have the names that Go uses for
/// GOOS and GOARCH (OCI image-spec 1.1, image-index.md).
///
/// @param variant the variant of the architecture, such as `v8`; empty if there is none
public record Platform(String os, String architecture, String variant) {
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /// Parses `OS/ARCHITECTURE[/VARIANT]`, such as `linux/amd64` or `linux/arm/v7`.
  ///
  /// @throws IllegalArgumentException for any other text
  public static Platform parse(String text) {
    String[] words = text.split("/", -1);
    boolean valid = words.length == 2 || words.length == 3;
    for (String word : words) {
      valid &= WORD.matcher(word).matches();
    }
    if (!valid) {
      throw new IllegalArgumentException(
          "Expected a platform OS/ARCHITECTURE[/VARIANT] such as linux/amd64");
    }
    return new Platform(words[0], words[1], words.length == 3 ? words[2] : "");
  }

  /// Returns the platform with the operating system Linux and this machine's architecture.
  public static Platform ofThisMachine() {
    String machine = System.getProperty("os.arch", "amd64").toLowerCase(Locale.ROOT);
    String architecture =
        switch (machine) {
          case "x86_64", "x86-64" -> "amd64";
          case "aarch64" -> "arm64";
          default -> machine;
        };
    return new Platform("linux", architecture, "");
  }

  /// Reads the fields `os`, `architecture` and `variant` of an index entry's platform or of a
  /// configuration; absent fields become empty.
  static Platform read(JsonValue object) throws MalformedImageException {
    return new Platform(
        object.field("os").name(),
        object.field("architecture").name(),
        object.field("variant").name());
  }

  /// Returns whether the operating system or the architecture is given.
  public boolean known() {
    return !os.isEmpty() || !architecture.isEmpty();
  }

  /// Returns text such as `linux/arm/v7`.
  @Override
  public String toString() {
    return os + "/" + architecture + (variant.isEmpty() ? "" : "/" + variant);
  }
}
