package dev.pvcpopulators.registry.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Matches file names: either one literal name, or all names that fit a pattern with `*`, `?` and
/// `[…]`. Patterns have the notation of POSIX.1-2017, "Pattern Matching Notation", but without
/// classes such as `[:digit:]` and without an escape character. The pattern `[*]` matches an
/// asterisk.
///
/// Two patterns, or two literal names, with the same text are equal, so that a search recognises a
/// goal that it has reached before.
///
/// @param text the pattern as it was written
/// @param regex the pattern as a regular expression; null for a literal name
record NamePattern(String text, @Nullable Pattern regex) {
  /// Returns a literal name, in which no character has a special meaning.
  static NamePattern exactly(String name) {
    return new NamePattern(name, null);
  }

  /// Returns a pattern if the text contains `*`, `?` or `[`. Otherwise returns a literal name.
  ///
  /// @throws IllegalArgumentException if a `[` has no closing `]`
  static NamePattern parse(String text) {
    return new NamePattern(text, hasWildcards(text) ? compiled(text) : null);
  }

  /// Returns whether this is a pattern and not a literal name.
  boolean glob() {
    return regex != null;
  }

  static boolean hasWildcards(String text) {
    return text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
  }

  boolean matches(String name) {
    return regex == null ? text.equals(name) : regex.matcher(name).matches();
  }

  /// Translates a pattern into a regular expression, part by part; asterisks separate the parts.
  /// All parts except the first and the last become atomic groups. Matching therefore backtracks
  /// only to the last `*`. No match is missed, because the earliest match of a part leaves the most
  /// characters for the later parts. The number of steps is at most the length of the pattern
  /// multiplied by the length of the name.
  private static Pattern compiled(String text) {
    List<String> parts = parts(text.codePoints().toArray());
    StringBuilder regex = new StringBuilder(parts.getFirst());
    for (int i = 1; i < parts.size(); i++) {
      boolean last = i == parts.size() - 1;
      regex.append(last ? ".*" + parts.get(i) : "(?>.*?" + parts.get(i) + ")");
    }
    return Pattern.compile(regex.toString(), Pattern.DOTALL);
  }

  private static List<String> parts(int[] pattern) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    for (int at = 0; at < pattern.length; at++) {
      switch (pattern[at]) {
        case '*' -> {
          parts.add(part.toString());
          part.setLength(0);
        }
        case '?' -> part.append('.');
        case '[' -> {
          int end = closing(pattern, at);
          part.append(set(pattern, at + 1, end));
          at = end;
        }
        default -> part.append(literal(pattern[at]));
      }
    }
    parts.add(part.toString());
    return parts;
  }

  /// Returns the index of the closing `]`. A `]` at the beginning of a set belongs to the set, even
  /// after `!` or `^`.
  private static int closing(int[] pattern, int opening) {
    int at = opening + 1;
    if (at < pattern.length && negation(pattern[at])) {
      at++;
    }
    do {
      at++;
    } while (at < pattern.length && pattern[at] != ']');
    if (at >= pattern.length) {
      throw new IllegalArgumentException("Expected a ] after the [ of the pattern");
    }
    return at;
  }

  private static String set(int[] pattern, int start, int end) {
    boolean negated = negation(pattern[start]);
    StringBuilder ranges = new StringBuilder();
    int at = negated ? start + 1 : start;
    while (at < end) {
      boolean range = at + 2 < end && pattern[at + 1] == '-';
      int last = pattern[range ? at + 2 : at];
      if (pattern[at] <= last) {
        ranges.append(literal(pattern[at])).append('-').append(literal(last));
      }
      at += range ? 3 : 1;
    }
    if (ranges.isEmpty()) {
      return negated ? "." : "(?!)";
    }
    return (negated ? "[^" : "[") + ranges + "]";
  }

  private static boolean negation(int c) {
    return c == '!' || c == '^';
  }

  private static String literal(int c) {
    return "\\x{" + Integer.toHexString(c) + "}";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NamePattern pattern
        && text.equals(pattern.text)
        && glob() == pattern.glob();
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
