package dev.pvcpopulators.kit.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Notation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;

/// The termination message of a container, which `kubectl describe` shows. The message consists of
/// the last line of progress, and of the result as one line of JSON. If the service did not start,
/// the message is the reason. Kubernetes accepts at most 4096 bytes.
final class TerminationMessage {
  static final int MAX_BYTES = 4_096;

  private static final Path DEVICES = Path.of("/dev");

  private TerminationMessage() {}

  /// Returns the message. If the message is too long, the service's details are removed one by one,
  /// the longest first, until the message is short enough. If the message without details is still
  /// too long, the text of the failure's `detail` is shortened. After these two steps the JSON is
  /// still valid. If the message is too long even then, the end of the message is cut off, but
  /// never inside a character.
  static byte[] of(String line, ObjectNode result) {
    ObjectNode shown = result.deepCopy();
    byte[] message = join(line, shown);
    while (message.length > MAX_BYTES
        && shown.path("details") instanceof ObjectNode details
        && !details.isEmpty()) {
      details.remove(longest(details));
      message = join(line, shown);
    }
    while (message.length > MAX_BYTES
        && shown.path("failure") instanceof ObjectNode failure
        && !failure.path("detail").asText().isEmpty()) {
      String detail = failure.path("detail").asText();
      int keep = Math.max(0, detail.length() - (message.length - MAX_BYTES));
      if (keep > 0 && Character.isHighSurrogate(detail.charAt(keep - 1))) {
        keep--;
      }
      failure.put("detail", detail.substring(0, keep));
      message = join(line, shown);
    }
    return cut(message);
  }

  private static String longest(ObjectNode details) {
    return details.properties().stream()
        .max(Comparator.comparingInt(field -> field.getValue().toString().length()))
        .orElseThrow()
        .getKey();
  }

  /// Writes the message. If the file is in /dev and does not exist, this method does nothing:
  /// outside a pod, /dev/termination-log does not exist and must not be created.
  static void write(Path target, byte[] message) throws IOException {
    if (target.startsWith(DEVICES) && Files.notExists(target)) {
      return;
    }
    Files.write(
        target,
        message,
        StandardOpenOption.CREATE,
        StandardOpenOption.WRITE,
        StandardOpenOption.TRUNCATE_EXISTING);
  }

  private static byte[] join(String line, ObjectNode result) {
    String json = new String(Notation.JSON.write(result), StandardCharsets.UTF_8);
    return (line + "\n" + json).getBytes(StandardCharsets.UTF_8);
  }

  static byte[] cut(byte[] message) {
    if (message.length <= MAX_BYTES) {
      return message;
    }
    int end = MAX_BYTES;
    // A byte 10xxxxxx is not the first byte of a character (RFC 3629).
    while ((message[end] & 0xC0) == 0x80) {
      end--;
    }
    return Arrays.copyOf(message, end);
  }
}
