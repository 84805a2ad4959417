package dev.pvcpopulators.volume.job;

import dev.pvcpopulators.volume.settings.NearName;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The word that somebody may have meant who typed another one.
final class Nearest {
  /// A third of a word may be wrong.
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
