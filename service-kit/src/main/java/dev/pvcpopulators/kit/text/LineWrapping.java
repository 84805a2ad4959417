package dev.pvcpopulators.kit.text;

import java.util.ArrayList;
import java.util.List;

/// Wraps sentences into lines.
public final class LineWrapping {
  private LineWrapping() {}

  /// Wraps a text into lines, between words. A word that is longer than a line gets a separate
  /// line.
  ///
  /// @param columns the maximum number of columns of a line with its indent
  public static List<String> wrap(String words, String indent, int columns) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(indent);
    for (String word : words.split(" ", -1)) {
      boolean first = line.length() == indent.length();
      if (!first && line.length() + 1 + word.length() > columns) {
        lines.add(line.toString());
        line = new StringBuilder(indent);
        first = true;
      }
      line.append(first ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
