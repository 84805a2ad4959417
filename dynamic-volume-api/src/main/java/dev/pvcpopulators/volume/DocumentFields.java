package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.stream.Collectors;

/// Reads the fields of a document that another program wrote. Fields that the caller does not read
/// are ignored, so that later versions of the contract may add fields.
///
/// @param name the kind of document, for messages
public record DocumentFields(String name, ObjectNode document) {
  /// The maximum length of a text, in UTF-16 code units.
  static final int MOST_TEXT = 4_096;

  private static final int MOST_NAMES = 100;

  /// Reads a document.
  ///
  /// @throws IOException if the document is not an object
  public static DocumentFields of(String name, JsonNode document) throws IOException {
    if (document instanceof ObjectNode object) {
      return new DocumentFields(name, object);
    }
    throw new IOException(name + ": expected an object of fields, found something else");
  }

  /// Returns the object that a field of this document contains.
  ///
  /// @throws IOException if the field is missing or is not an object
  public DocumentFields object(String field) throws IOException {
    return of(name + ", field '" + field + "'", document.path(field));
  }

  /// Returns whether the field exists and is not null.
  public boolean has(String field) {
    return document.hasNonNull(field);
  }

  /// Returns the names of the document's fields, for messages.
  String names() {
    String names =
        document.properties().stream()
            .map(field -> "'" + field.getKey() + "'")
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? "no fields" : SafeText.of(names, MOST_NAMES);
  }

  /// Returns the text of a field.
  ///
  /// @throws IOException if the field is missing, is not a text, or has more than 4,096 characters
  public String text(String field) throws IOException {
    JsonNode value = document.path(field);
    if (!value.isTextual() || value.textValue().length() > MOST_TEXT) {
      throw unexpected(field, "a text of at most " + MOST_TEXT + " characters");
    }
    return value.textValue();
  }

  /// Returns the whole number in a field.
  ///
  /// @throws IOException if the field is missing, is not a whole number, or is outside the range
  ///   from `least` to `most`
  public long number(String field, long least, long most) throws IOException {
    JsonNode value = document.path(field);
    boolean whole = value.isIntegralNumber() && value.canConvertToLong();
    if (!whole || value.longValue() < least || value.longValue() > most) {
      throw unexpected(field, "a whole number from " + least + " to " + most);
    }
    return value.longValue();
  }

  /// Returns the constant whose name equals the text of the field. The comparison ignores case.
  ///
  /// @throws IOException if the field is missing, is not a text, or names none of the constants
  public <E extends Enum<E>> E constant(String field, Class<E> type) throws IOException {
    String word = text(field);
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equalsIgnoreCase(word)) {
        return constant;
      }
    }
    throw unexpected(field, "one of the contract's words");
  }

  private IOException unexpected(String field, String expected) {
    return new IOException(
        "%s, field '%s': expected %s, found %s"
            .formatted(name, field, expected, SafeText.of(document.path(field).toString(), 64)));
  }
}
