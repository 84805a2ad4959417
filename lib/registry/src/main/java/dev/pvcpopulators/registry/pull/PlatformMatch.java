package dev.pvcpopulators.registry.pull;

import dev.pvcpopulators.registry.Platform;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Compares platforms by rules similar to the rules of containerd's package `platforms`. Unlike in
/// containerd, amd64 does not accept images for 386, arm64 does not accept images for arm, and v9
/// of arm64 accepts images for every v8.x.
///
/// The kernel's names (`x86_64`, `aarch64`) are treated like Go's names (`amd64`, `arm64`).
/// Variants of amd64, arm and arm64 are versions: a later version also runs images for earlier
/// versions. The default variants are v1 for amd64, v7 for arm, v6 for armel, and v8 for arm64.
record PlatformMatch(Platform wanted) {
  private static final Pattern VERSION = Pattern.compile("v([0-9]{1,3})(?:\\.([0-9]{1,3}))?");
  private static final int MINORS = 1_000;

  PlatformMatch {
    wanted = normal(wanted);
  }

  /// Returns the distance of an image from the required platform; empty if the image does not run
  /// on that platform. The distance 0 is an exact match, and a greater distance is worse.
  OptionalInt distance(Platform image) {
    Platform offered = normal(image);
    if (!offered.os().equals(wanted.os())
        || !offered.architecture().equals(wanted.architecture())) {
      return OptionalInt.empty();
    }
    if (offered.variant().equals(wanted.variant())) {
      return OptionalInt.of(0);
    }
    int from = version(wanted);
    int to = version(offered);
    if (from >= 0 && to >= 0) {
      return to <= from ? OptionalInt.of(from - to) : OptionalInt.empty();
    }
    // Variants that are not versions have no order: a wanted variant matches only itself. If no
    // variant is wanted, every variant matches.
    return wanted.variant().isEmpty() ? OptionalInt.of(1) : OptionalInt.empty();
  }

  private static int version(Platform platform) {
    boolean ordered =
        switch (platform.architecture()) {
          case "amd64", "arm", "arm64" -> true;
          default -> false;
        };
    Matcher matcher = VERSION.matcher(platform.variant());
    if (!ordered || !matcher.matches()) {
      return -1;
    }
    String minor = matcher.group(2);
    return Integer.parseInt(matcher.group(1)) * MINORS
        + (minor == null ? 0 : Integer.parseInt(minor));
  }

  private static Platform normal(Platform platform) {
    String os = platform.os().isEmpty() ? "linux" : platform.os().toLowerCase(Locale.ROOT);
    String variant = platform.variant().toLowerCase(Locale.ROOT);
    String architecture = platform.architecture().toLowerCase(Locale.ROOT);
    return switch (architecture) {
      case "amd64", "x86_64", "x86-64" -> named(os, "amd64", variant, "v1");
      case "arm64", "aarch64" -> named(os, "arm64", variant, "v8");
      case "arm", "armhf" -> named(os, "arm", variant, "v7");
      case "armel" -> named(os, "arm", variant, "v6");
      case "386", "i386" -> new Platform(os, "386", "");
      default -> new Platform(os, architecture, variant);
    };
  }

  private static Platform named(
      String os, String architecture, String variant, String ofThoseWithout) {
    // Some images have "8" instead of "v8".
    String word = variant.matches("[0-9].*") ? "v" + variant : variant;
    return new Platform(os, architecture, word.isEmpty() ? ofThoseWithout : word);
  }
}
