package dev.pvcpopulators.registry.remote;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// An authentication challenge of a server (RFC 9110 §11.3, §11.6.1).
///
/// @param scheme the authentication scheme in lower case
/// @param parameters the parameters by their names in lower case. If several parameters have the
///   same name, the map contains only the first of them
record Challenge(String scheme, Map<String, String> parameters) {
  // Maximum number of challenges in a response, and of parameters in a challenge. No reasonable
  // server exceeds these limits. Further challenges and parameters are ignored.
  private static final int CHALLENGES = 16;
  private static final int PARAMETERS = 32;

  Challenge {
    parameters = Map.copyOf(parameters);
  }

  Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name));
  }

  /// Parses `WWW-Authenticate` headers, each of which may contain several challenges. Text that
  /// does not match the grammar is skipped.
  static List<Challenge> parse(List<String> headers) {
    List<Challenge> challenges = new ArrayList<>();
    for (String header : headers) {
      new Parser(header).addTo(challenges);
    }
    return List.copyOf(challenges);
  }

  private static final class Parser {
    private final String text;
    private int position;

    Parser(String text) {
      this.text = text;
    }

    void addTo(List<Challenge> challenges) {
      String scheme = "";
      Map<String, String> parameters = new LinkedHashMap<>();
      while (position < text.length() && challenges.size() < CHALLENGES) {
        skipBlanks();
        String word = token();
        skipBlanks();
        if (word.isEmpty()) {
          // Skips a comma between elements, or an unexpected character.
          position++;
        } else if (!scheme.isEmpty() && parameterFollows()) {
          position++;
          skipBlanks();
          String value = value();
          if (parameters.size() < PARAMETERS) {
            parameters.putIfAbsent(word.toLowerCase(Locale.ROOT), value);
          }
        } else {
          add(challenges, scheme, parameters);
          scheme = word.toLowerCase(Locale.ROOT);
          parameters = new LinkedHashMap<>();
          skipToken68();
        }
      }
      add(challenges, scheme, parameters);
    }

    private static void add(
        List<Challenge> challenges, String scheme, Map<String, String> parameters) {
      if (!scheme.isEmpty() && challenges.size() < CHALLENGES) {
        challenges.add(new Challenge(scheme, parameters));
      }
    }

    private boolean parameterFollows() {
      return position < text.length() && text.charAt(position) == '=';
    }

    /// Skips a token68 (RFC 9110 §11.2), such as `YWJj==` in `Negotiate YWJj==`. Some schemes use a
    /// token68 instead of named parameters.
    private void skipToken68() {
      int end = position;
      while (end < text.length() && text.charAt(end) != ',' && !blank(text.charAt(end))) {
        end++;
      }
      String word = text.substring(position, end);
      String bare = withoutPadding(word);
      if (!bare.isEmpty() && !bare.contains("=") && !bare.contains("\"") && atElementEnd(end)) {
        position = end;
      }
    }

    /// Removes all `=` characters at the end of a word. A regular expression would take quadratic
    /// time for many `=`.
    private static String withoutPadding(String word) {
      int end = word.length();
      while (end > 0 && word.charAt(end - 1) == '=') {
        end--;
      }
      return word.substring(0, end);
    }

    private boolean atElementEnd(int from) {
      int next = from;
      while (next < text.length() && blank(text.charAt(next))) {
        next++;
      }
      return next == text.length() || text.charAt(next) == ',';
    }

    private String token() {
      int start = position;
      while (position < text.length() && tokenCharacter(text.charAt(position))) {
        position++;
      }
      return text.substring(start, position);
    }

    private String value() {
      if (position == text.length() || text.charAt(position) != '"') {
        return token();
      }
      StringBuilder value = new StringBuilder();
      position++;
      while (position < text.length() && text.charAt(position) != '"') {
        if (text.charAt(position) == '\\' && position + 1 < text.length()) {
          position++;
        }
        value.append(text.charAt(position));
        position++;
      }
      position++;
      return value.toString();
    }

    private void skipBlanks() {
      while (position < text.length() && blank(text.charAt(position))) {
        position++;
      }
    }

    private static boolean blank(char c) {
      return c == ' ' || c == '\t';
    }

    private static boolean tokenCharacter(char c) {
      return (c >= '0' && c <= '9')
          || (c >= 'a' && c <= 'z')
          || (c >= 'A' && c <= 'Z')
          || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }
  }
}
