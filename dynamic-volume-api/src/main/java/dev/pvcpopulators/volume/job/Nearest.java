package dev.pvcpopulators.volume.job;

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
        .filter(word -> distance(bare, bare(word)) <= Math.max(1, bare(word).length() / SHARE))
        .min(Comparator.comparingInt(word -> distance(bare, bare(word))));
  }

  private static String bare(String word) {
    return word.replaceFirst(DASHES, "").toLowerCase(Locale.ROOT);
  }

  /// Letters to insert, remove, replace or swap with their neighbours (optimal string alignment).
  private static int distance(String from, String to) {
    int[][] table = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        table[i][j] = i == 0 || j == 0 ? i + j : step(table, from, to, i, j);
      }
    }
    return table[from.length()][to.length()];
  }

  private static int step(int[][] table, String from, String to, int i, int j) {
    boolean same = from.charAt(i - 1) == to.charAt(j - 1);
    int least = table[i - 1][j - 1] + (same ? 0 : 1);
    least = Math.min(least, 1 + Math.min(table[i - 1][j], table[i][j - 1]));
    boolean swapped =
        i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1);
    return swapped ? Math.min(least, table[i - 2][j - 2] + 1) : least;
  }
}
