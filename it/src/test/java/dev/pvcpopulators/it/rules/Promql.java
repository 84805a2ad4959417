package dev.pvcpopulators.it.rules;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The metrics and labels that a PromQL expression uses. The expression must be valid; Prometheus
/// checks its syntax.
///
/// @param selectors metrics with their matchers: `up{job="a"}`
/// @param labels the labels by which the expression groups or joins
record Promql(Set<String> selectors, Set<String> labels) {
  /// The alternatives for strings and comments come first, so that no other alternative matches the
  /// contents of strings and comments.
  private static final Pattern TOKEN =
      Pattern.compile(
          "\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`|#.*"
              + "|[A-Za-z_:][A-Za-z0-9_:]*|[0-9][0-9A-Za-z.]*|[^\\s]");

  private static final Set<String> OPERATORS =
      Set.of("and", "or", "unless", "bool", "offset", "inf", "nan", "atan2");

  private static final Set<String> GROUPING =
      Set.of("by", "without", "on", "ignoring", "group_left", "group_right");

  private static final Set<String> AGGREGATIONS =
      Set.of(
          "sum",
          "min",
          "max",
          "avg",
          "count",
          "group",
          "stddev",
          "stdvar",
          "topk",
          "bottomk",
          "quantile",
          "count_values");

  Promql {
    selectors = Set.copyOf(selectors);
    labels = Set.copyOf(labels);
  }

  static Promql of(String expression) {
    List<String> tokens = new ArrayList<>();
    for (Matcher token = TOKEN.matcher(expression); token.find(); ) {
      if (!token.group().startsWith("#")) {
        tokens.add(token.group());
      }
    }
    Set<String> selectors = new LinkedHashSet<>();
    Set<String> labels = new TreeSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      String word = tokens.get(i);
      String next = i + 1 < tokens.size() ? tokens.get(i + 1) : "";
      String lower = word.toLowerCase(Locale.ROOT);
      if (GROUPING.contains(lower) && next.equals("(")) {
        int end = tokens.subList(i, tokens.size()).indexOf(")") + i;
        tokens.subList(i + 2, end).stream().filter(Promql::isName).forEach(labels::add);
        i = end;
      } else if (word.equals("{") || isMetric(word, lower, next)) {
        int end = i;
        if (word.equals("{") || next.equals("{")) {
          end = tokens.subList(i, tokens.size()).indexOf("}") + i;
        }
        selectors.add(String.join("", tokens.subList(i, end + 1)));
        i = end;
      }
    }
    return new Promql(selectors, labels);
  }

  private static boolean isMetric(String word, String lower, String next) {
    return isName(word)
        && !next.equals("(")
        && !OPERATORS.contains(lower)
        && !GROUPING.contains(lower)
        && !AGGREGATIONS.contains(lower);
  }

  private static boolean isName(String word) {
    return word.matches("[A-Za-z_:][A-Za-z0-9_:]*");
  }
}
