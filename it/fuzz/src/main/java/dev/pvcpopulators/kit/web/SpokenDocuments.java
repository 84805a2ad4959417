package dev.pvcpopulators.kit.web;

import static dev.pvcpopulators.fuzz.Refusal.ensure;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeSource;
import dev.pvcpopulators.volume.VolumeStatus;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// Checks the contract's documents with arbitrary texts. Each document is written as YAML and as
/// JSON. In both forms, the contract's reader and a reader of YAML 1.2 must find the original
/// content. YAML 1.2 includes JSON. In the YAML form, a reader of YAML 1.1 must also find this
/// content.
final class SpokenDocuments {
  private static final int MOST = 4096;

  /// The maximum number of characters of a key, without the ellipsis of [Quoted#plain]. A key
  /// without `?` has at most 1,024 characters in YAML (YAML 1.2.2, section 7.4.2). In JSON, each
  /// character of the key takes at most two characters (with its escape), the ellipsis takes one,
  /// and the quotes take two.
  private static final int MOST_OF_A_NAME = 510;

  private static final int SOME_LENGTH = 42;
  private static final int SOME_LUN = 3;

  /// The size of the buffer of snakeyaml-engine, in characters. Each document must be shorter,
  /// because snakeyaml-engine fails if a surrogate pair crosses the end of its buffer.
  private static final int LONGEST = 1 << 18;

  private static final Load YAML_1_2 =
      new Load(LoadSettings.builder().setBufferSize(LONGEST).build());

  private SpokenDocuments() {}

  /// Writes and reads documents with these texts.
  ///
  /// @param texts arbitrary texts; the documents contain the result of [Quoted#plain] for each text
  static void check(String[] texts) throws IOException {
    String first = Quoted.plain(texts[0], MOST);
    String last = Quoted.plain(texts[texts.length - 1], MOST);
    VolumeSource source =
        first.isBlank() || last.isBlank()
            ? new PvcSource("claim")
            : new IscsiSource(first, 1 + texts[0].length(), last, SOME_LUN);
    ObjectNode details = JsonNodeFactory.instance.objectNode();
    List<Part> parts = new ArrayList<>();
    for (String text : texts) {
      String shown = Quoted.plain(text, MOST);
      details.put(Quoted.plain(text, MOST_OF_A_NAME), shown);
      parts.add(new Part(Part.Kind.LAYER, shown, Part.State.MOVING, shown.length(), SOME_LENGTH));
    }
    Failure failure = new Failure.MalformedSource(last);
    VolumeStatus status =
        new VolumeStatus(
            Phase.Failed,
            1,
            2,
            SOME_LENGTH,
            0,
            first,
            last,
            -1,
            details,
            parts,
            first,
            Instant.EPOCH,
            Instant.EPOCH,
            source,
            failure);
    List<JsonNode> documents =
        List.of(status.document(), source.document(), Problem.of(failure).document());
    for (JsonNode document : documents) {
      check(document);
    }
  }

  private static void check(JsonNode document) throws IOException {
    Object expected = plain(document);
    Yaml reader = new Yaml(new SafeConstructor(new LoaderOptions()));
    for (Notation notation : Notation.values()) {
      byte[] bytes = notation.write(document);
      String written = new String(bytes, UTF_8);
      ensure(plain(notation.read(bytes)).equals(expected), "Read as another: " + written);
      ensure(expected.equals(YAML_1_2.loadFromString(written)), "In YAML 1.2 another: " + written);
      if (notation == Notation.YAML) {
        ensure(expected.equals(reader.load(written)), "In YAML 1.1 another: " + written);
      }
    }
  }

  /// Converts a document to the types that a YAML reader returns: maps, lists, texts, numbers and
  /// Booleans.
  private static Object plain(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> {
        Map<String, Object> fields = new LinkedHashMap<>();
        node.properties().forEach(field -> fields.put(field.getKey(), plain(field.getValue())));
        yield fields;
      }
      case ARRAY -> {
        List<Object> items = new ArrayList<>();
        node.forEach(item -> items.add(plain(item)));
        yield items;
      }
      case STRING -> node.textValue();
      case NUMBER -> node.intValue();
      case BOOLEAN -> node.booleanValue();
      case BINARY, MISSING, NULL, POJO -> throw new IllegalArgumentException(node.toString());
    };
  }
}
