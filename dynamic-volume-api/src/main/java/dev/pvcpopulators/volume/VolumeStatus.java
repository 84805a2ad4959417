package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The answer to `GET /volume/status`.
///
/// @param bytesIn bytes received from the source
/// @param bytesOut bytes of decoded data that were passed to the volume, including zeros that
///   become holes. If a restarted service found the volume, `bytesOut` is the number of used bytes
///   of the volume, or 0 if this number is unknown
/// @param totalBytes bytes of the source, -1 if unknown
/// @param bytesPerSecond rate of `bytesIn` over the last seconds
/// @param sourceDigest digest of the source, such as `sha256:…`; null if unknown
/// @param format format of the source; null if unknown
/// @param virtualSize size of the disk in bytes, as a guest sees it; -1 if unknown
/// @param details fields that are specific to this service; may be empty
/// @param parts the parts of the volume, in the service's order, at most [Part#MOST]
/// @param revision the version of the volume, for a conditional deletion. The revision changes when
///   the volume's state changes or a disk is added. It does not change when only the progress
///   changes
/// @param started time of the request for the creation; null if no creation was requested since the
///   start of the service or since the last deletion
/// @param finished time of the end of the creation; null if the creation has not ended
/// @param source the reference to the volume; null if the volume is not ready
/// @param failure the reason for the phase `Failed`; null in all other phases
public record VolumeStatus(
    Phase phase,
    long bytesIn,
    long bytesOut,
    long totalBytes,
    long bytesPerSecond,
    @Nullable String sourceDigest,
    @Nullable String format,
    long virtualSize,
    ObjectNode details,
    List<Part> parts,
    String revision,
    @Nullable Instant started,
    @Nullable Instant finished,
    @Nullable VolumeSource source,
    @Nullable Failure failure) {
  public VolumeStatus {
    parts = List.copyOf(parts);
  }

  /// Returns the received share of the source in percent, 0 to 100. Returns 100 if the volume is
  /// ready. Otherwise, returns -1 if the total is unknown, and 0 if the source is empty.
  public int percent() {
    if (phase == Phase.Ready) {
      return 100;
    }
    if (totalBytes < 0) {
      return -1;
    }
    return totalBytes == 0 ? 0 : (int) Math.clamp(100.0 * bytesIn / totalBytes, 0, 100);
  }

  /// Returns the estimated number of seconds until the whole source has arrived, at the present
  /// rate. Returns -1 if no estimate is possible.
  public long etaSeconds() {
    boolean known = phase == Phase.Transferring && totalBytes >= bytesIn && bytesPerSecond > 0;
    return known ? Math.ceilDiv(totalBytes - bytesIn, bytesPerSecond) : -1;
  }

  /// Returns the status document, without the fields whose values are unknown.
  public ObjectNode document() {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("phase", phase.name()).put("bytesIn", bytesIn).put("bytesOut", bytesOut);
    putKnown(document, "totalBytes", totalBytes);
    putKnown(document, "percent", percent());
    document.put("bytesPerSecond", bytesPerSecond);
    putKnown(document, "etaSeconds", etaSeconds());
    putKnown(document, "sourceDigest", sourceDigest);
    putKnown(document, "format", format);
    putKnown(document, "virtualSize", virtualSize);
    if (!details.isEmpty()) {
      document.set("details", details.deepCopy());
    }
    if (!parts.isEmpty()) {
      ArrayNode shown = document.putArray("parts");
      parts.forEach(part -> shown.add(part.document()));
    }
    document.put("revision", revision);
    putKnown(document, "started", started);
    putKnown(document, "finished", finished);
    if (source != null) {
      document.set("source", source.document());
    }
    if (failure != null) {
      document.set("failure", Problem.of(failure).document());
    }
    return document;
  }

  /// Adds a field, unless its value is -1, which means unknown.
  static void putKnown(ObjectNode document, String name, long value) {
    if (value >= 0) {
      document.put(name, value);
    }
  }

  private static void putKnown(ObjectNode document, String name, @Nullable Object value) {
    if (value != null) {
      document.put(name, value.toString());
    }
  }
}
