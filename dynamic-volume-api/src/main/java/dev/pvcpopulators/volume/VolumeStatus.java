package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What `GET /volume/status` answers.
///
/// @param bytesIn bytes that came from the source
/// @param bytesOut bytes that went to the volume; zeros that became holes are not counted
/// @param totalBytes bytes of the source, -1 where not known
/// @param bytesPerSecond rate of `bytesIn` over the last seconds
/// @param virtualSize bytes the guest sees, -1 where not known
/// @param details what only this service has to tell; may be empty
/// @param parts what the volume is made of, in the service's order, at most [Part#MOST]
/// @param revision changes with each creation, its end, each addition and the deletion, and not
///   with progress: who deletes the volume may say which one is meant
/// @param started when the creation was asked for; null where none was since the service started
/// @param finished when it ended
/// @param source what the volume is referred to by, when it is ready
/// @param failure why it ended without a volume
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

  /// The same of somebody whose request was refused.
  public VolumeStatus with(Failure refusal) {
    return new VolumeStatus(
        phase,
        bytesIn,
        bytesOut,
        totalBytes,
        bytesPerSecond,
        sourceDigest,
        format,
        virtualSize,
        details,
        parts,
        revision,
        started,
        finished,
        source,
        refusal);
  }

  /// How much of the source has come, 0 to 100; -1 where the total is not known.
  public int percent() {
    if (phase == Phase.Ready) {
      return 100;
    }
    if (totalBytes < 0) {
      return -1;
    }
    return totalBytes == 0 ? 0 : (int) Math.clamp(100.0 * bytesIn / totalBytes, 0, 100);
  }

  /// Seconds until the rest of the source has come at the present rate; -1 where not known.
  public long etaSeconds() {
    boolean known = phase == Phase.Transferring && totalBytes >= bytesIn && bytesPerSecond > 0;
    return known ? Math.ceilDiv(totalBytes - bytesIn, bytesPerSecond) : -1;
  }

  /// The status document; what is not known is left out.
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

  private static void putKnown(ObjectNode document, String name, long value) {
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
