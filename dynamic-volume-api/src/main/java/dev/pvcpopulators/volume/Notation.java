package dev.pvcpopulators.volume;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.regex.Pattern;

/// The two formats of the contract's documents.
public enum Notation {
  JSON("application/json"),
  YAML("application/yaml");

  private static final int MAX_DEPTH = 16;
  private static final int MAX_TEXT = 65_536;
  private static final int REASON_LENGTH = 200;
  private static final ObjectMapper JSON_MAPPER = json();
  private static final ObjectMapper YAML_MAPPER = yaml();

  private final String mediaType;

  Notation(String mediaType) {
    this.mediaType = mediaType;
  }

  public String mediaType() {
    return mediaType;
  }

  /// Returns the document in UTF-8.
  public byte[] write(JsonNode document) {
    try {
      return mapper().writeValueAsBytes(document);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Reads one document. Returns a `MissingNode` if the text consists only of white space or, in
  /// YAML, of comments.
  ///
  /// Refuses malformed text, more than one document, duplicate keys, nesting deeper than 16 levels,
  /// and numbers of more than 32 digits. In JSON, also refuses strings of more than 65,536
  /// characters. In YAML, also refuses tags, anchors and aliases; without aliases, a short text
  /// cannot expand to a large document.
  ///
  /// @throws IOException if the text is refused. The message states the reason in one short line
  ///   without control characters, and may quote a key or a token of the text
  public JsonNode read(byte[] body) throws IOException {
    try (JsonParser parser = mapper().createParser(body)) {
      if (this == YAML) {
        refuseReferences(body);
      }
      if (parser.nextToken() == null) {
        return MissingNode.getInstance();
      }
      JsonNode document = mapper().readTree(parser);
      if (parser.nextToken() != null) {
        throw new IOException("expected one document, found more");
      }
      return document;
    } catch (JsonProcessingException e) {
      throw new IOException(reason(e), e);
    }
  }

  private ObjectMapper mapper() {
    return switch (this) {
      case JSON -> JSON_MAPPER;
      case YAML -> YAML_MAPPER;
    };
  }

  private void refuseReferences(byte[] body) throws IOException {
    try (YAMLParser parser = (YAMLParser) mapper().createParser(body)) {
      while (parser.nextToken() != null) {
        if (parser.isCurrentAlias() || parser.getObjectId() != null) {
          throw new IOException("anchors and aliases are not supported");
        }
        if (parser.getTypeId() != null) {
          throw new IOException("tags are not supported");
        }
      }
    }
  }

  private static String reason(JsonProcessingException e) {
    // getOriginalMessage() omits the location that getMessage() appends.
    String first = e.getOriginalMessage().lines().findFirst().orElse("not readable");
    String plain = SafeText.of(first, REASON_LENGTH);
    return e.getLocation() == null ? plain : plain + " (line " + e.getLocation().getLineNr() + ")";
  }

  private static StreamReadConstraints constraints() {
    return StreamReadConstraints.builder()
        .maxNestingDepth(MAX_DEPTH)
        .maxStringLength(MAX_TEXT)
        .maxNumberLength(32)
        .build();
  }

  private static ObjectMapper json() {
    JsonMapper mapper =
        JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();
    mapper.getFactory().setStreamReadConstraints(constraints());
    return mapper;
  }

  private static ObjectMapper yaml() {
    YAMLFactory factory =
        YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .stringQuotingChecker(new PlainOnlyWhenHarmless())
            .streamReadConstraints(constraints())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    return YAMLMapper.builder(factory)
        .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
        .build();
  }

  /// Omits quotes only if YAML 1.1 and 1.2 both read the text as a string. Names, IPv4 addresses
  /// and iSCSI names have no quotes; `no`, `1e3` and `12:30` are quoted.
  private static final class PlainOnlyWhenHarmless extends StringQuotingChecker.Default {
    private static final long serialVersionUID = 1L;
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_./-]*(:[^ :#]+)*");
    private static final Pattern ADDRESS = Pattern.compile("[0-9]+(\\.[0-9]+){3}");

    @Override
    public boolean needToQuoteName(String name) {
      return !harmless(name) || super.needToQuoteName(name);
    }

    @Override
    public boolean needToQuoteValue(String value) {
      return !harmless(value) || super.needToQuoteValue(value);
    }

    private static boolean harmless(String text) {
      return NAME.matcher(text).matches() || ADDRESS.matcher(text).matches();
    }
  }
}
