package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/// The fields of a request. Each field overrides a setting of the service.
///
/// @param fields the fields; [#read] accepts only fields that the service allows
public record VolumeRequest(ObjectNode fields) {
  /// The maximum length of a request's body in bytes.
  public static final int MAX_BYTES = 65_536;

  private static final VolumeRequest EMPTY =
      new VolumeRequest(JsonNodeFactory.instance.objectNode());

  public VolumeRequest {
    fields = fields.deepCopy();
  }

  /// Returns the request that overrides no setting.
  public static VolumeRequest empty() {
    return EMPTY;
  }

  /// Reads the body of a request. Returns [#empty] if the body is blank, or contains only comments,
  /// `null` or an object without fields.
  ///
  /// @param allowed names of the fields that the request may contain
  /// @throws VolumeException with [Failure.InvalidRequest] if the body is too long or malformed, or
  ///   contains a field that is not allowed
  public static VolumeRequest read(byte[] body, Notation notation, Set<String> allowed)
      throws VolumeException {
    if (body.length > MAX_BYTES) {
      throw VolumeException.invalid(
          "Reading the body: expected at most " + MAX_BYTES + " bytes, found more");
    }
    JsonNode document;
    try {
      document = notation.read(body);
    } catch (IOException e) {
      throw VolumeException.invalid(
          "Reading the body as " + notation.mediaType() + ": " + e.getMessage(), e);
    }
    boolean blank = document.isTextual() && document.textValue().isBlank();
    if (absent(document) || blank) {
      return EMPTY;
    }
    if (!(document instanceof ObjectNode object)) {
      throw VolumeException.invalid(
          "Reading the body: expected an object of fields, found something else");
    }
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (!allowed.contains(field.getKey())) {
        throw VolumeException.invalid(
            "Reading the body: expected only the fields %s, found '%s'"
                .formatted(new TreeSet<>(allowed), shown(field.getKey())));
      }
    }
    return new VolumeRequest(object);
  }

  /// Returns whether this request overrides no setting.
  public boolean isEmpty() {
    return fields.isEmpty();
  }

  /// Returns whether a volume that was made for `other` satisfies this request: true if both
  /// requests have equal fields, or if this request has no fields.
  public boolean satisfiedBy(VolumeRequest other) {
    return isEmpty() || equals(other);
  }

  /// Returns the text of a field; empty if the field is missing or null.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if the field is not a text
  public Optional<String> text(String field) throws VolumeException {
    return field(field, JsonNode::isTextual, "a text").map(JsonNode::textValue);
  }

  /// Returns the whole number of a field; empty if the field is missing or null.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if the field is not a whole number that
  ///   fits into 64 bits
  public OptionalLong number(String field) throws VolumeException {
    return field(
            field, value -> value.isIntegralNumber() && value.canConvertToLong(), "a whole number")
        .stream()
        .mapToLong(JsonNode::longValue)
        .findFirst();
  }

  /// Returns the Boolean of a field; empty if the field is missing or null.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if the field is neither true nor false
  public Optional<Boolean> flag(String field) throws VolumeException {
    return field(field, JsonNode::isBoolean, "true or false").map(JsonNode::booleanValue);
  }

  private Optional<JsonNode> field(String field, Predicate<JsonNode> valid, String expected)
      throws VolumeException {
    JsonNode value = fields.path(field);
    if (absent(value)) {
      return Optional.empty();
    }
    if (!valid.test(value)) {
      throw VolumeException.invalid("Field '" + field + "': expected " + expected);
    }
    return Optional.of(value);
  }

  /// Returns the value of a text field. If the field is missing or null, returns the value of the
  /// setting that the field can override.
  ///
  /// @param setting the setting's text; empty if the setting is not set
  /// @param parser converts a valid text; throws an [IllegalArgumentException] for an invalid text
  /// @return the value; empty if neither the field nor the setting has one
  /// @throws VolumeException with [Failure.InvalidRequest] if the field is not a text, or if the
  ///   text is invalid
  public <T> Optional<T> value(String field, Optional<String> setting, Function<String, T> parser)
      throws VolumeException {
    return parse(field, text(field).or(() -> setting), parser);
  }

  /// Returns the value of a text field. If the field is missing or null, returns the value of the
  /// setting that the field can override.
  ///
  /// @param setting the setting's text
  /// @param parser converts a valid text; throws an [IllegalArgumentException] for an invalid text
  /// @throws VolumeException with [Failure.InvalidRequest] if the field is not a text, or if the
  ///   text is invalid
  public <T> T value(String field, String setting, Function<String, T> parser)
      throws VolumeException {
    return value(field, Optional.of(setting), parser).orElseThrow();
  }

  /// Parses the value of a field or a setting. Returns empty if there is no value.
  ///
  /// @param name the name of the field or setting, for the message
  /// @param parser converts a valid value; throws an [IllegalArgumentException] for an invalid
  ///   value
  /// @throws VolumeException with [Failure.InvalidRequest] if the value is invalid
  public static <S, T> Optional<T> parse(String name, Optional<S> value, Function<S, T> parser)
      throws VolumeException {
    try {
      return value.map(parser);
    } catch (IllegalArgumentException e) {
      throw VolumeException.invalid("Reading " + name + ": " + e.getMessage(), e);
    }
  }

  @Override
  public ObjectNode fields() {
    return fields.deepCopy();
  }

  private static boolean absent(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  private static String shown(String name) {
    int end = Math.min(name.length(), 64);
    return name.substring(0, end).replaceAll("[^\\p{Alnum}._-]", "?");
  }
}
