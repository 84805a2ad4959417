package dev.pvcpopulators.imagetoqcow2layers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.volume.Notation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Parses the value of a setting that is a list of texts.
final class Words {
  private Words() {}

  /// Parses a JSON list of texts, or texts that a separator divides. Ignores empty texts between
  /// separators, but not in a JSON list.
  ///
  /// @param separator a regular expression
  /// @throws IllegalArgumentException if the text, without leading white space, begins with `[` but
  ///   is not a JSON list of texts
  static List<String> parse(String text, String separator) {
    if (!text.stripLeading().startsWith("[")) {
      return List.of(text.split(separator, -1)).stream().filter(word -> !word.isEmpty()).toList();
    }
    JsonNode document;
    try {
      document = Notation.JSON.read(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalArgumentException("expected a JSON list: " + e.getMessage(), e);
    }
    List<String> words = new ArrayList<>();
    for (JsonNode word : document) {
      if (!word.isTextual()) {
        throw new IllegalArgumentException("expected a JSON list of texts, found " + word);
      }
      words.add(word.textValue());
    }
    return words;
  }
}
