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

/// YAML as the API server reads it: a key stands once in a mapping, a number is no string, and no
/// field is passed over.
public final class StrictYaml {
  private static final ObjectMapper YAML =
      new ObjectMapper(
          YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());

  private static final JsonMapper MODEL = model();

  private StrictYaml() {}

  /// The documents of a stream; empty ones are left out.
  ///
  /// @throws MalformedManifestException if it is no YAML, or a key stands twice
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

  /// A document as an object of Kubernetes' model.
  ///
  /// @throws MalformedManifestException if a value has another type than the field
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
