package dev.pvcpopulators.kit.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Notation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminationMessageTest {
  private static ObjectNode result(String detail) {
    ObjectNode result = JsonNodeFactory.instance.objectNode().put("phase", "Failed");
    result.putObject("failure").put("detail", detail);
    return result.put("exitCode", 65);
  }

  /// Decodes strictly, so that an incomplete character is an error.
  private static String text(byte[] message) throws Exception {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(message)).toString();
  }

  @Test
  void messageThatFitsIsComplete() throws Exception {
    assertEquals(
        "Failed 5 B\n{\"phase\":\"Failed\",\"failure\":{\"detail\":\"é\"},\"exitCode\":65}",
        text(TerminationMessage.of("Failed 5 B", result("é"))));
  }

  @Test
  void longDetailIsShortenedAndTheJsonStaysWhole() throws Exception {
    for (String unit : new String[] {"x", "é", "€", "😀", "\"", "\u0001"}) {
      for (int extra = 0; extra < 5; extra++) {
        byte[] message =
            TerminationMessage.of("Failed", result("y".repeat(extra) + unit.repeat(5_000)));
        assertTrue(message.length <= 4_096, unit);
        String[] lines = text(message).split("\n", -1);
        JsonNode read = Notation.JSON.read(lines[1].getBytes(StandardCharsets.UTF_8));
        assertEquals(65, read.path("exitCode").asInt());
      }
    }
  }

  @Test
  void detailsThatDoNotFitAreLeftOutAndTheJsonStaysWhole() throws Exception {
    ObjectNode result = result("a reason");
    result.putObject("details").put("image", "x").put("path", "\u0001".repeat(5_000));
    String message = text(TerminationMessage.of("Failed", result));
    assertEquals(
        "Failed\n{\"phase\":\"Failed\",\"failure\":{\"detail\":\"a reason\"},\"exitCode\":65,"
            + "\"details\":{\"image\":\"x\"}}",
        message);
  }

  @Test
  void exactLimitIsKept() throws Exception {
    int others = TerminationMessage.of("Failed", result("")).length;
    String fits = "x".repeat(4_096 - others);
    assertEquals(4_096, TerminationMessage.of("Failed", result(fits)).length);
    assertTrue(text(TerminationMessage.of("Failed", result(fits))).contains(fits));
    assertFalse(text(TerminationMessage.of("Failed", result(fits + "x"))).contains(fits + "x"));
  }

  @Test
  void everythingElseIsCutBetweenCharacters() throws Exception {
    for (int extra = 0; extra < 4; extra++) {
      ObjectNode long_ = result("").put("note", "y".repeat(extra) + "😀".repeat(2_000));
      byte[] message = TerminationMessage.of("Failed", long_);
      assertTrue(message.length <= 4_096 && message.length > 4_092);
      text(message);
    }
  }

  @Test
  void overwritesOldContent(@TempDir Path directory) throws Exception {
    Path log = Files.writeString(directory.resolve("log"), "something longer");
    TerminationMessage.write(log, new byte[] {'a'});
    assertEquals("a", Files.readString(log));
    Path nowhere = Path.of("/dev/no-termination-log-here");
    TerminationMessage.write(nowhere, new byte[] {'a'});
    assertFalse(Files.exists(nowhere));
  }
}
