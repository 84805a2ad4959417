package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.settings.NearName;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Finds the word that was most likely meant by a mistyped one.
final class Nearest {
  /// At most this share of a word may be wrong: a third.
  private static final int SHARE = 3;

  private static final String DASHES = "^-+";

  private Nearest() {}

  static Optional<String> of(String typed, List<String> known) {
    String bare = bare(typed);
    return known.stream()
        .filter(
            word -> NearName.distance(bare, bare(word)) <= Math.max(1, bare(word).length() / SHARE))
        .min(Comparator.comparingInt(word -> NearName.distance(bare, bare(word))));
  }

  private static String bare(String word) {
    return word.replaceFirst(DASHES, "").toLowerCase(Locale.ROOT);
  }
}
