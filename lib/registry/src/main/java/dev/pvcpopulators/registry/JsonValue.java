package dev.pvcpopulators.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// A value in a JSON document (RFC 8259) with its path. Messages about an invalid value contain the
/// path.
///
/// Absent and `null` values become defaults, except where a method requires the value. Unknown
/// fields are ignored. A value of an unexpected type causes a [MalformedImageException].
///
/// @param structure the name of the document, such as "manifest"
/// @param path the path from the document's root, such as `.layers[3].size`; empty for the root
public record JsonValue(String structure, String path, JsonNode node) {
  private static final Pattern ALGORITHM = Pattern.compile("[a-z0-9]+([+._-][a-z0-9]+)*:");

  /// Returns the root of a parsed document.
  public static JsonValue root(String structure, JsonNode node) {
    return new JsonValue(structure, "", node);
  }

  /// Parses a document.
  ///
  /// @throws MalformedImageException if the document is not one JSON value in UTF-8; if the
  ///   document exceeds a limit of [ManifestJson#read]; or if an object in the document has the
  ///   same field twice
  public static JsonValue parse(String structure, byte[] bytes) throws MalformedImageException {
    return root(structure, ManifestJson.readValue(bytes, structure));
  }

  /// Returns whether the value exists and is not `null`.
  public boolean present() {
    return !node.isMissingNode() && !node.isNull();
  }

  /// Returns a field of an object; an absent value if the object or the field is absent.
  public JsonValue field(String name) throws MalformedImageException {
    if (present() && !node.isObject()) {
      throw wrong("an object");
    }
    return new JsonValue(structure, path + "." + name, node.path(name));
  }

  /// Returns the items of an array; none if the array is absent.
  ///
  /// @param limit maximum number of items
  public List<JsonValue> items(int limit) throws MalformedImageException {
    if (!present()) {
      return List.of();
    }
    if (!node.isArray()) {
      throw wrong("an array");
    }
    if (node.size() > limit) {
      throw wrong("at most " + limit + " items", node.size() + " items");
    }
    List<JsonValue> items = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      items.add(new JsonValue(structure, path + "[" + i + "]", node.path(i)));
    }
    return items;
  }

  /// Returns a string; the empty string if the value is absent.
  ///
  /// @param limit maximum number of characters
  public String text(int limit) throws MalformedImageException {
    if (!present()) {
      return "";
    }
    if (!node.isTextual()) {
      throw wrong("a string");
    }
    String text = node.textValue();
    if (text.length() > limit) {
      throw wrong("at most " + limit + " characters", text.length() + " characters");
    }
    return text;
  }

  /// Returns a string of at most [RegistryLimits#NAME_LENGTH] characters; the empty string if the
  /// value is absent.
  public String name() throws MalformedImageException {
    return text(RegistryLimits.NAME_LENGTH);
  }

  /// Returns the strings of an array; none if the array is absent. A `null` item is read as an
  /// empty string.
  ///
  /// @param limit maximum number of strings
  public List<String> strings(int limit) throws MalformedImageException {
    List<String> strings = new ArrayList<>();
    for (JsonValue item : items(limit)) {
      strings.add(item.text(RegistryLimits.ANNOTATION_LENGTH));
    }
    return strings;
  }

  /// Returns the fields of an object, such as annotations or labels. Each value must be a string;
  /// `null` is read as an empty string. Returns no fields if the object is absent.
  public Map<String, String> annotations() throws MalformedImageException {
    Map<String, String> annotations = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : fields(RegistryLimits.ANNOTATIONS)) {
      String name = entry.getKey();
      if (name.length() > RegistryLimits.NAME_LENGTH) {
        throw wrong(
            "names of at most " + RegistryLimits.NAME_LENGTH + " characters",
            name.length() + " characters");
      }
      JsonValue value =
          new JsonValue(structure, path + "[" + Quoted.of(name) + "]", entry.getValue());
      annotations.put(name, value.text(RegistryLimits.ANNOTATION_LENGTH));
    }
    return annotations;
  }

  /// Returns the field names of an object in lexical order; none if the object is absent. In a
  /// configuration, a set such as `ExposedPorts` is an object whose field names are the members of
  /// the set.
  public List<String> names() throws MalformedImageException {
    return fields(RegistryLimits.STRINGS).stream().map(Map.Entry::getKey).sorted().toList();
  }

  /// Returns the fields of an object; none if the object is absent.
  ///
  /// @param limit maximum number of fields
  private Set<Map.Entry<String, JsonNode>> fields(int limit) throws MalformedImageException {
    if (!present()) {
      return Set.of();
    }
    if (!node.isObject()) {
      throw wrong("an object");
    }
    if (node.size() > limit) {
      throw wrong("at most " + limit + " fields", node.size() + " fields");
    }
    return node.properties();
  }

  /// Returns a length in bytes; the value is required.
  public long length() throws MalformedImageException {
    if (!node.isIntegralNumber() || !node.canConvertToLong() || node.longValue() < 0) {
      throw wrong("an integer from 0 to " + Long.MAX_VALUE);
    }
    return node.longValue();
  }

  /// Returns a digest; the value is required.
  ///
  /// @throws UnsupportedFeatureException if the digest's algorithm is not in [Digest.Algorithm]
  public Digest digest() throws MalformedImageException, UnsupportedFeatureException {
    String text = name();
    try {
      return Digest.parse(text);
    } catch (IllegalArgumentException e) {
      boolean supported = text.startsWith("sha256:") || text.startsWith("sha512:");
      if (!supported && ALGORITHM.matcher(text).lookingAt()) {
        throw new UnsupportedFeatureException(
            structure
                + path
                + ": "
                + Quoted.of(text)
                + " is a digest of an algorithm that is not supported;"
                + " expected sha256 or sha512");
      }
      throw wrong("a digest 'sha256:…' or 'sha512:…'");
    }
  }

  /// Returns the exception to throw if this value is not as expected.
  public MalformedImageException wrong(String expected) {
    return wrong(expected, found());
  }

  MalformedImageException wrong(String expected, String found) {
    String at = path.isEmpty() ? "" : path + ": ";
    return new MalformedImageException(
        structure, -1, at + "expected " + expected + ", found " + found);
  }

  private String found() {
    return switch (node.getNodeType()) {
      case ARRAY -> "an array";
      case OBJECT, POJO -> "an object";
      case STRING, BINARY -> Quoted.of(node.asText());
      case NUMBER -> "the number " + node.asText();
      case BOOLEAN -> node.asText();
      case NULL -> "null";
      case MISSING -> "nothing";
    };
  }
}
