package dev.pvcpopulators.registry;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonValueTest {
  @Test
  void readsOnlyUtf8() throws IOException {
    String text = "{\"a\": \"ü\"}";
    assertEquals("ü", JsonValue.parse("x", text.getBytes(UTF_8)).field("a").name());
    for (Charset charset : List.of(UTF_16BE, UTF_16LE, Charset.forName("UTF-32"), ISO_8859_1)) {
      assertThrows(
          MalformedImageException.class,
          () -> JsonValue.parse("x", text.getBytes(charset)),
          charset.name());
    }
  }

  @Test
  void takesNullForAbsent() throws IOException {
    JsonValue root = JsonValue.parse("x", "{\"a\": null}".getBytes(UTF_8));
    for (String name : List.of("a", "b")) {
      assertFalse(root.field(name).present());
      assertEquals("", root.field(name).field("c").name());
      assertEquals(List.of(), root.field(name).items(1));
      assertThrows(MalformedImageException.class, () -> root.field(name).length());
    }
  }

  @Test
  void takesNoNumbersOutOfRange() throws IOException {
    assertEquals(0, JsonValue.parse("x", "-0".getBytes(UTF_8)).length());
    for (String number : List.of("1e999999999", "1E400", "0.5", "-1", "9".repeat(100))) {
      JsonValue value = JsonValue.parse("x", number.getBytes(UTF_8));
      assertThrows(MalformedImageException.class, value::length, number);
    }
    byte[] longer = "9".repeat(101).getBytes(UTF_8);
    assertThrows(MalformedImageException.class, () -> JsonValue.parse("x", longer));
  }

  @Test
  void endsWithAValueOrARefusalForAnyBytes() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] valid =
        "{\"schemaVersion\":2,\"manifests\":[{\"size\":12,\"digest\":\"sha256:00\"}],\"a\":null}"
            .getBytes(UTF_8);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = valid.clone();
      for (int change = 0; change <= i % 4; change++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        ManifestDocument.read(JsonValue.parse("manifest", bytes), "");
      } catch (MalformedImageException | UnsupportedFeatureException _) {
        // A malformed document may cause only these exceptions.
      } catch (RuntimeException e) {
        throw new AssertionError("Seed " + seed + ", round " + i, e);
      }
    }
  }
}
