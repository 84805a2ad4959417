package dev.pvcpopulators.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestJsonTest {
  @Test
  void readsAnObject() throws IOException {
    assertEquals(2, read("{\"schemaVersion\": 2, \"layers\": []} \n").get("schemaVersion").asInt());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "[]", "7", "null", "{", "{}{}", "{} x", "{\"a\":1,\"a\":2}", "\u0000"})
  void refusesAnythingElse(String text) {
    assertThrows(MalformedImageException.class, () -> read(text));
  }

  @Test
  void boundsNesting() throws IOException {
    String open = "[".repeat(63);
    String close = "]".repeat(63);
    assertEquals(1, read("{\"a\":" + open + close + "}").size());
    assertThrows(MalformedImageException.class, () -> read("{\"a\":[" + open + close + "]}"));
  }

  @Test
  void boundsTokens() throws IOException {
    // The object, the name and the array are five tokens. Each element of the array is one token.
    assertEquals(199_995, read(zeros(199_995)).get("a").size());
    assertThrows(MalformedImageException.class, () -> read(zeros(199_996)));
  }

  @Test
  void boundsTheLength() throws IOException {
    String object = "{}" + " ".repeat(RegistryLimits.MANIFEST_LENGTH - 2);
    assertEquals(0, read(object).size());
    assertThrows(MalformedImageException.class, () -> read(object + " "));
  }

  @Test
  void keepsTheDocumentOutOfTheMessage() {
    MalformedImageException thrown =
        assertThrows(MalformedImageException.class, () -> read("{\"token\": s3cret}"));
    assertFalse(String.valueOf(thrown.getMessage()).contains("s3cret"));
  }

  private static String zeros(int count) {
    return "{\"a\":[" + "0,".repeat(count - 1) + "0]}";
  }

  private static JsonNode read(String text) throws IOException {
    return ManifestJson.read(text.getBytes(UTF_8), "Manifest");
  }
}
