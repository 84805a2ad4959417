package dev.pvcpopulators.registry.disk;

import java.util.ArrayList;
import java.util.List;

/// A file name or a pattern with `*`, `?` and `[…]` that names are compared with (POSIX.1-2017,
/// "Pattern Matching Notation", without classes and without an escape: `[*]` is an asterisk).
///
/// Patterns are compared by value: a search that reaches the same pattern again is in a circle.
///
/// @param text the pattern as it was written
/// @param tokens the parsed pattern; empty for a literal name
record NamePattern(String text, List<Token> tokens) {
  NamePattern {
    tokens = List.copyOf(tokens);
  }

  /// Returns a literal name, in which no character has a special meaning.
  static NamePattern exactly(String name) {
    return new NamePattern(name, List.of());
  }

  /// Parses a pattern if the text has `*`, `?` or `[`, otherwise a literal name.
  ///
  /// @throws IllegalArgumentException for a `[` without its `]`
  static NamePattern parse(String text) {
    return new NamePattern(text, hasWildcards(text) ? tokens(text) : List.of());
  }

  /// Returns whether it is a pattern and not a literal name.
  boolean glob() {
    return !tokens.isEmpty();
  }

  static boolean hasWildcards(String text) {
    return text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
  }

  boolean matches(String name) {
    return tokens.isEmpty() ? text.equals(name) : globMatches(tokens, name.codePoints().toArray());
  }

  /// Backtracks only to the last `*`, which is sufficient, so that matching takes at most pattern
  /// times name steps.
  private static boolean globMatches(List<Token> tokens, int[] name) {
    int token = 0;
    int position = 0;
    int afterStar = -1;
    int starEnd = 0;
    while (position < name.length) {
      if (token < tokens.size() && tokens.get(token) instanceof Token.Star) {
        token++;
        afterStar = token;
        starEnd = position;
      } else if (token < tokens.size() && tokens.get(token).takes(name[position])) {
        token++;
        position++;
      } else if (afterStar >= 0) {
        starEnd++;
        token = afterStar;
        position = starEnd;
      } else {
        return false;
      }
    }
    while (token < tokens.size() && tokens.get(token) instanceof Token.Star) {
      token++;
    }
    return token == tokens.size();
  }

  private static List<Token> tokens(String text) {
    int[] pattern = text.codePoints().toArray();
    List<Token> tokens = new ArrayList<>();
    int at = 0;
    while (at < pattern.length) {
      switch (pattern[at]) {
        case '*' -> tokens.add(new Token.Star());
        case '?' -> tokens.add(new Token.Any());
        case '[' -> {
          int end = closing(pattern, at);
          tokens.add(set(pattern, at + 1, end));
          at = end;
        }
        default -> tokens.add(new Token.Range(pattern[at], pattern[at]));
      }
      at++;
    }
    return tokens;
  }

  /// Returns the index of the closing `]`. A `]` at the beginning of a set, also after `!`, belongs
  /// to the set.
  private static int closing(int[] pattern, int opening) {
    int at = opening + 1;
    if (at < pattern.length && negation(pattern[at])) {
      at++;
    }
    at++;
    while (at < pattern.length && pattern[at] != ']') {
      at++;
    }
    if (at >= pattern.length) {
      throw new IllegalArgumentException("Expected a ] behind the [ of the pattern");
    }
    return at;
  }

  private static Token.Set set(int[] pattern, int start, int end) {
    boolean negated = negation(pattern[start]);
    List<Token.Range> ranges = new ArrayList<>();
    int at = negated ? start + 1 : start;
    while (at < end) {
      if (at + 2 < end && pattern[at + 1] == '-') {
        ranges.add(new Token.Range(pattern[at], pattern[at + 2]));
        at += 3;
      } else {
        ranges.add(new Token.Range(pattern[at], pattern[at]));
        at++;
      }
    }
    return new Token.Set(ranges, negated);
  }

  private static boolean negation(int c) {
    return c == '!' || c == '^';
  }

  sealed interface Token {
    /// Returns whether it matches this character.
    boolean takes(int c);

    /// Any number of characters, including none.
    record Star() implements Token {
      @Override
      public boolean takes(int c) {
        return true;
      }
    }

    record Any() implements Token {
      @Override
      public boolean takes(int c) {
        return true;
      }
    }

    record Range(int first, int last) implements Token {
      @Override
      public boolean takes(int c) {
        return first <= c && c <= last;
      }
    }

    record Set(List<Range> ranges, boolean negated) implements Token {
      public Set {
        ranges = List.copyOf(ranges);
      }

      @Override
      public boolean takes(int c) {
        return ranges.stream().anyMatch(range -> range.takes(c)) != negated;
      }
    }
  }
}
