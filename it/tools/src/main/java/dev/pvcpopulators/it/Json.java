package dev.pvcpopulators.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Reads and writes JSON texts.
public final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  public static JsonNode text(String text) throws IOException {
    return MAPPER.readTree(text);
  }

  /// Returns a list of strings as JSON text.
  public static String list(List<String> strings) throws IOException {
    return MAPPER.writeValueAsString(strings);
  }

  public static JsonNode file(Path file) throws IOException {
    return text(Files.readString(file));
  }
}
