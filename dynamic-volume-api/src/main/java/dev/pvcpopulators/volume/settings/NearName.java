package dev.pvcpopulators.volume.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/// Which name was meant.
public final class NearName {
  /// Of how many letters of a name one may be wrong.
  private static final int LETTERS_PER_SLIP = 3;

  private NearName() {}

  /// The name that is nearest to a misspelt one; empty where none is near.
  static Optional<String> of(String misspelt, Collection<String> names) {
    return names.stream()
        .min(Comparator.comparingInt(name -> distance(misspelt, name)))
        .filter(name ->
            distance(misspelt, name) <= Math.max(2, own(misspelt, name) / LETTERS_PER_SLIP));
  }

  /// How many letters there are behind what both begin with up to an underscore: those that all
  /// names have in common say nothing.
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

  /// Letters that are put in, left out, replaced, or swapped with the next (Damerau; the optimal
  /// string alignment).
  public static int distance(String one, String other) {
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
