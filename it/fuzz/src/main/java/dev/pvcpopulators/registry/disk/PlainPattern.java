package dev.pvcpopulators.registry.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/// A minimal implementation of name patterns (POSIX.1-2017, "Pattern Matching Notation"). This
/// class reads the name character by character. After each character, this class stores all
/// positions in the pattern that are reachable with the characters that it has read.
final class PlainPattern {
  private PlainPattern() {}

  /// Returns whether a name matches a pattern.
  ///
  /// @param pattern a pattern that [NamePattern] accepts
  static boolean matches(String pattern, String name) {
    List<IntPredicate> takes = new ArrayList<>();
    List<Boolean> repeats = new ArrayList<>();
    parse(pattern.codePoints().toArray(), takes, repeats);
    boolean[] reached = closed(new boolean[takes.size() + 1], repeats, 0);
    for (int c : name.codePoints().toArray()) {
      boolean[] next = new boolean[takes.size() + 1];
      for (int i = 0; i < takes.size(); i++) {
        if (reached[i] && takes.get(i).test(c)) {
          closed(next, repeats, repeats.get(i) ? i : i + 1);
        }
      }
      reached = next;
    }
    return reached[takes.size()];
  }

  /// Marks a position as reached. If asterisks begin at this position, also marks the position
  /// after each asterisk, because an asterisk also matches the empty text.
  private static boolean[] closed(boolean[] reached, List<Boolean> repeats, int place) {
    int at = place;
    reached[at] = true;
    while (at < repeats.size() && repeats.get(at)) {
      reached[++at] = true;
    }
    return reached;
  }

  private static void parse(int[] pattern, List<IntPredicate> takes, List<Boolean> repeats) {
    int at = 0;
    while (at < pattern.length) {
      int c = pattern[at++];
      repeats.add(c == '*');
      if (c == '[') {
        int end = end(pattern, at);
        takes.add(set(pattern, at, end));
        at = end + 1;
      } else {
        takes.add(other -> c == '*' || c == '?' || c == other);
      }
    }
  }

  private static boolean negates(int c) {
    return c == '!' || c == '^';
  }

  private static int end(int[] pattern, int from) {
    int at = from + (negates(pattern[from]) ? 2 : 1);
    while (pattern[at] != ']') {
      at++;
    }
    return at;
  }

  private static IntPredicate set(int[] pattern, int from, int end) {
    boolean negated = negates(pattern[from]);
    int at = negated ? from + 1 : from;
    IntPredicate any = _ -> false;
    while (at < end) {
      int first = pattern[at];
      boolean range = at + 2 < end && pattern[at + 1] == '-';
      int last = range ? pattern[at + 2] : first;
      any = any.or(c -> first <= c && c <= last);
      at += range ? 3 : 1;
    }
    return negated ? any.negate() : any;
  }
}
