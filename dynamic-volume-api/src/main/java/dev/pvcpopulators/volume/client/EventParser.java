package dev.pvcpopulators.volume.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Parses a stream of server-sent events (HTML Living Standard, section 9.2.6) that arrives in
/// chunks of any size.
final class EventParser {
  /// The maximum length of a line in bytes, and of the data of one event in UTF-16 code units.
  static final int MAX_BYTES = 1 << 18;

  private static final Pattern MILLIS = Pattern.compile("[0-9]{1,9}");

  /// A server-sent event.
  ///
  /// @param name the event's type; `message` if the stream names no type
  /// @param data the event's data lines, joined by line feeds
  record Event(String name, String data) {}

  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final StringBuilder data = new StringBuilder();
  private String name = "";
  private boolean afterReturn;
  private boolean hasData;
  private Optional<Duration> retry = Optional.empty();

  /// Parses a chunk and returns the events that end in this chunk.
  ///
  /// @throws IOException if a line or the data of an event is too long
  List<Event> feed(ByteBuffer chunk) throws IOException {
    List<Event> events = new ArrayList<>();
    while (chunk.hasRemaining()) {
      byte next = chunk.get();
      boolean second = afterReturn && next == '\n';
      afterReturn = next == '\r';
      if (second) {
        continue;
      }
      if (next == '\n' || next == '\r') {
        line(line.toString(StandardCharsets.UTF_8), events);
        line.reset();
      } else if (line.size() == MAX_BYTES) {
        throw new IOException("expected lines of at most " + MAX_BYTES + " bytes, found more");
      } else {
        line.write(next);
      }
    }
    return events;
  }

  /// Returns the reconnection delay that the server requested last; empty if it requested none.
  Optional<Duration> retry() {
    return retry;
  }

  private void line(String text, List<Event> events) throws IOException {
    if (text.isEmpty()) {
      dispatch(events);
      return;
    }
    int colon = text.indexOf(':');
    String field = colon < 0 ? text : text.substring(0, colon);
    String value = colon < 0 ? "" : text.substring(colon + 1);
    field(field, value.startsWith(" ") ? value.substring(1) : value);
  }

  private void field(String field, String value) throws IOException {
    switch (field) {
      case "event" -> name = value;
      case "data" -> {
        if (data.length() + value.length() >= MAX_BYTES) {
          throw new IOException("expected events of at most " + MAX_BYTES + " bytes, found more");
        }
        data.append(hasData ? "\n" : "").append(value);
        hasData = true;
      }
      case "retry" -> {
        if (MILLIS.matcher(value).matches()) {
          retry = Optional.of(Duration.ofMillis(Long.parseLong(value)));
        }
      }
      // Ignore comments and all other fields.
      default -> {}
    }
  }

  private void dispatch(List<Event> events) {
    if (hasData) {
      events.add(new Event(name.isEmpty() ? "message" : name, data.toString()));
    }
    data.setLength(0);
    hasData = false;
    name = "";
  }
}
