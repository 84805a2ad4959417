package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/// A layer or a LUN of a volume. The status reports the progress of each part separately. The web
/// page shows a progress bar for each part.
///
/// @param name the digest of a layer, or the number of a LUN
/// @param done bytes of this part that have arrived
/// @param total bytes of this part, -1 if unknown
public record Part(Kind kind, String name, State state, long done, long total) {
  /// The maximum number of parts that a status shows. A limit is needed, because an image's author
  /// may choose any number of layers.
  public static final int MOST = 256;

  /// The kind of a part.
  public enum Kind {
    /// A layer of an image.
    LAYER,
    /// A logical unit of an iSCSI target.
    LUN
  }

  /// The state of a part.
  public enum State {
    /// The part's transfer has not begun, or pauses before another attempt.
    WAITING,
    /// Bytes of the part are arriving.
    MOVING,
    /// The part is complete.
    DONE,
    /// No transfer is necessary, because the part existed already or is not needed.
    SKIPPED,
    /// The part has failed.
    FAILED
  }

  ObjectNode document() {
    ObjectNode document =
        JsonNodeFactory.instance
            .objectNode()
            .put("kind", word(kind))
            .put("name", name)
            .put("state", word(state))
            .put("done", done);
    VolumeStatus.putKnown(document, "total", total);
    return document;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
