package dev.pvcpopulators.kit.text;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Finds the intended word for a misspelt one.
public final class WordSuggestion {
  /// At most this share of a word may be wrong: a third.
  private static final int SHARE = 3;

  private static final String DASHES = "^-+";

  private WordSuggestion() {}

  public static Optional<String> of(String typed, List<String> known) {
    String bare = bare(typed);
    return known.stream()
        .filter(word ->
            NameSuggestion.distance(bare, bare(word)) <= Math.max(1, bare(word).length() / SHARE))
        .min(Comparator.comparingInt(word -> NameSuggestion.distance(bare, bare(word))));
  }

  private static String bare(String word) {
    return word.replaceFirst(DASHES, "").toLowerCase(Locale.ROOT);
  }
}
