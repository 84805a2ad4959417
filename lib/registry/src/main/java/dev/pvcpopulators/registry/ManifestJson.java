package dev.pvcpopulators.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pvcpopulators.diskimage.MalformedImageException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/// Parses untrusted JSON documents, such as the manifests of images.
public final class ManifestJson {
  private static final int NESTING = 64;
  private static final int NUMBER_LENGTH = 100;
  private static final int NAME_LENGTH = 64 << 10;

  // The parsed tree takes up to 100 bytes of memory for every two bytes of text. If only the length
  // of the document were limited, a tree could therefore take hundreds of megabytes. The largest
  // legitimate manifests have about ten thousand tokens.
  private static final int TOKENS = 200_000;

  private static final ObjectReader READER =
      new JsonMapper(
              JsonFactory.builder()
                  // Field names are untrusted and must not be stored in the parser's tables, which
                  // outlive the document.
                  .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                  .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(NESTING)
                          .maxNumberLength(NUMBER_LENGTH)
                          .maxNameLength(NAME_LENGTH)
                          .maxStringLength(RegistryLimits.MANIFEST_LENGTH)
                          .maxDocumentLength(RegistryLimits.MANIFEST_LENGTH)
                          .maxTokenCount(TOKENS)
                          .build())
                  .build())
          .readerFor(JsonNode.class)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

  private ManifestJson() {}

  /// Parses one JSON object.
  ///
  /// @param what the name of the document for the exception's message, such as "Manifest"
  /// @throws MalformedImageException if the document is not a JSON object in UTF-8, is nested more
  ///   than 64 levels deep, is longer than [RegistryLimits#MANIFEST_LENGTH], has more than 200,000
  ///   tokens, contains a number with more than 100 digits or a key with more than 65,536
  ///   characters, or contains an object that has the same key twice
  public static JsonNode read(byte[] bytes, String what) throws MalformedImageException {
    JsonNode document = readValue(bytes, what);
    if (!document.isObject()) {
      throw new MalformedImageException(
          what, 0, "expected a JSON object, found " + document.getNodeType());
    }
    return document;
  }

  /// Parses one JSON value of any type, within the limits of [#read].
  static JsonNode readValue(byte[] bytes, String what) throws MalformedImageException {
    if (bytes.length > RegistryLimits.MANIFEST_LENGTH) {
      throw new MalformedImageException(
          what,
          -1,
          "expected at most %s bytes, found %s bytes"
              .formatted(RegistryLimits.MANIFEST_LENGTH, bytes.length));
    }
    try {
      // The text is decoded here, because the parser would also accept encodings that other readers
      // refuse.
      JsonNode value =
          READER.readTree(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
      if (value.isMissingNode()) {
        throw new MalformedImageException(what, 0, "expected JSON, found an empty document");
      }
      return value;
    } catch (CharacterCodingException e) {
      throw new MalformedImageException(what, -1, "expected JSON in UTF-8", e);
    } catch (StreamConstraintsException e) {
      // The parser's message may be shown here: this message quotes nothing of the document.
      throw new MalformedImageException(
          what, -1, "expected JSON within bounds: " + e.getOriginalMessage(), e);
    } catch (JsonProcessingException _) {
      // The new exception contains neither the parser's exception nor its message, because both
      // quote the document. The document may be a confidential file that is not a manifest.
      throw new MalformedImageException(
          what, -1, "expected one JSON value in which no object has a field twice");
    }
  }
}
