package dev.pvcpopulators.kit.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/// Finds the intended name for a misspelt name.
public final class NameSuggestion {
  /// One wrong letter is accepted for every three letters of a name. [#of] always accepts at least
  /// two wrong letters, and [#ofWord] at least one.
  private static final int LETTERS_PER_SLIP = 3;

  private NameSuggestion() {}

  /// Returns the most similar name; empty if none is similar.
  public static Optional<String> of(String misspelt, Collection<String> names) {
    return names.stream()
        .min(Comparator.comparingInt(name -> distance(misspelt, name)))
        .filter(name ->
            distance(misspelt, name) <= Math.max(2, own(misspelt, name) / LETTERS_PER_SLIP));
  }

  /// Returns the most similar word, regardless of case and of dashes at the beginning; empty if
  /// none is similar.
  public static Optional<String> ofWord(String misspelt, Collection<String> words) {
    String bare = bare(misspelt);
    return words.stream()
        .filter(word ->
            distance(bare, bare(word)) <= Math.max(1, bare(word).length() / LETTERS_PER_SLIP))
        .min(Comparator.comparingInt(word -> distance(bare, bare(word))));
  }

  private static String bare(String word) {
    return word.replaceFirst("^-+", "").toLowerCase(Locale.ROOT);
  }

  /// Returns the length of the longer name, without the longest common prefix that ends with `_`. A
  /// common prefix does not distinguish the names.
  private static int own(String one, String other) {
    int same = 0;
    int shorter = Math.min(one.length(), other.length());
    for (int i = 0; i < shorter && one.charAt(i) == other.charAt(i); i++) {
      if (one.charAt(i) == '_') {
        same = i + 1;
      }
    }
    return Math.max(one.length(), other.length()) - same;
  }

  /// Returns the edit distance: the minimum number of letters to insert, delete, replace, or swap
  /// with the next letter (Damerau; optimal string alignment).
  private static int distance(String one, String other) {
    int[] beforeLast = new int[other.length() + 1];
    int[] last = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] row = new int[other.length() + 1];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(Math.min(row[j - 1], last[j]) + 1, last[j - 1] + replaced);
        boolean swapped =
            i > 1
                && j > 1
                && one.charAt(i - 1) == other.charAt(j - 2)
                && one.charAt(i - 2) == other.charAt(j - 1);
        if (swapped) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
      beforeLast = last;
      last = row;
    }
    return last[other.length()];
  }
}
