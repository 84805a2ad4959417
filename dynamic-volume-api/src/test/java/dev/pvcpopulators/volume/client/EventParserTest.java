package dev.pvcpopulators.volume.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.volume.client.EventParser.Event;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventParserTest {
  private static List<Event> parse(EventParser parser, byte[] stream, int first)
      throws IOException {
    List<Event> events = new ArrayList<>(parser.feed(ByteBuffer.wrap(stream, 0, first)));
    events.addAll(parser.feed(ByteBuffer.wrap(stream, first, stream.length - first)));
    return events;
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r", "\r\n"})
  void chunksMayEndAnywhere(String end) throws IOException {
    String text =
        String.join(
            end,
            ": still here",
            "",
            "event: status",
            "retry: 2000",
            "data: {\"a\":",
            "data:\"ü\"}",
            "id: 7",
            "",
            "data",
            "",
            "event: without data",
            "",
            "data: never ended",
            "");
    byte[] stream = text.getBytes(UTF_8);
    for (int first = 0; first <= stream.length; first++) {
      EventParser parser = new EventParser();
      assertEquals(
          List.of(new Event("status", "{\"a\":\n\"ü\"}"), new Event("message", "")),
          parse(parser, stream, first),
          "cut at " + first);
      assertEquals(Optional.of(Duration.ofSeconds(2)), parser.retry());
    }
  }

  @Test
  void linesAndEventsHaveABound() throws IOException {
    byte[] longest = ("data:" + "x".repeat(EventParser.MAX_BYTES - 6)).getBytes(UTF_8);
    EventParser line = new EventParser();
    assertEquals(List.of(), line.feed(ByteBuffer.wrap(longest)));
    assertEquals(List.of(), line.feed(ByteBuffer.wrap("x".getBytes(UTF_8))));
    assertThrows(IOException.class, () -> line.feed(ByteBuffer.wrap("x".getBytes(UTF_8))));

    EventParser event = new EventParser();
    byte[] half = ("data:" + "x".repeat(EventParser.MAX_BYTES / 2) + "\n").getBytes(UTF_8);
    assertEquals(List.of(), event.feed(ByteBuffer.wrap(half)));
    assertThrows(IOException.class, () -> event.feed(ByteBuffer.wrap(half)));
  }

  @Test
  void anEmptyLineOfDataCounts() throws IOException {
    byte[] many = "data\n".repeat(EventParser.MAX_BYTES + 2).getBytes(UTF_8);
    EventParser parser = new EventParser();
    assertThrows(IOException.class, () -> parser.feed(ByteBuffer.wrap(many)));
  }
}
