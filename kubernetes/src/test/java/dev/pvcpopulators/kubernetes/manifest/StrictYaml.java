package dev.pvcpopulators.kubernetes.manifest;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Parses YAML as strictly as the API server. Refuses duplicate keys, and values of the wrong type,
/// such as a number for a string. `ModelWalk` refuses unknown fields.
public final class StrictYaml {
  private static final ObjectMapper YAML =
      new ObjectMapper(
          YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());

  private static final JsonMapper MODEL = model();

  private StrictYaml() {}

  /// Returns the documents of a stream, without empty documents.
  ///
  /// @throws MalformedManifestException if the text is not YAML, or a key is duplicated
  public static List<JsonNode> documents(String text) {
    List<JsonNode> documents = new ArrayList<>();
    try (MappingIterator<JsonNode> iterator = YAML.readerFor(JsonNode.class).readValues(text)) {
      while (iterator.hasNextValue()) {
        JsonNode document = iterator.nextValue();
        if (document != null && !document.isNull() && !document.isMissingNode()) {
          documents.add(document);
        }
      }
    } catch (IOException e) {
      throw new MalformedManifestException("Reading YAML: " + e.getMessage(), e);
    }
    return documents;
  }

  /// Converts a document to an object of Kubernetes' model.
  ///
  /// @throws MalformedManifestException if the type of a value is not the type of the field
  static <T> T object(JsonNode document, Class<T> type) {
    try {
      return MODEL.treeToValue(document, type);
    } catch (IOException e) {
      throw new MalformedManifestException("Reading a " + type.getSimpleName() + ": " + e, e);
    }
  }

  private static JsonMapper model() {
    JsonMapper mapper = JsonMapper.builder().build();
    refuse(
        mapper,
        LogicalType.Textual,
        CoercionInputShape.Integer,
        CoercionInputShape.Float,
        CoercionInputShape.Boolean);
    refuse(
        mapper,
        LogicalType.Integer,
        CoercionInputShape.String,
        CoercionInputShape.EmptyString,
        CoercionInputShape.Float,
        CoercionInputShape.Boolean);
    refuse(
        mapper,
        LogicalType.Boolean,
        CoercionInputShape.String,
        CoercionInputShape.EmptyString,
        CoercionInputShape.Integer);
    return mapper;
  }

  private static void refuse(JsonMapper mapper, LogicalType type, CoercionInputShape... shapes) {
    for (CoercionInputShape shape : shapes) {
      mapper.coercionConfigFor(type).setCoercion(shape, CoercionAction.Fail);
    }
  }
}
