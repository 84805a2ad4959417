package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/// One of the things that a volume is made of, and how far it is: what a person sees as a bar of
/// its own.
///
/// @param name what it is called: a layer's digest, a LUN's number
/// @param done bytes of it that are here
/// @param total bytes that it has, -1 where not known
public record Part(Kind kind, String name, State state, long done, long total) {
  /// The most parts that a status shows: what an image's author decides has a bound.
  public static final int MOST = 256;

  /// What it is a part of.
  public enum Kind {
    /// A layer of an image.
    LAYER,
    /// A logical unit of an iSCSI target.
    LUN
  }

  /// Where it stands.
  public enum State {
    /// Its turn has not come.
    WAITING,
    /// Its bytes are on their way.
    MOVING,
    /// It is here.
    DONE,
    /// Nothing had to move: it was here before, or nobody needs it.
    SKIPPED,
    /// It cannot be had.
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
    if (total >= 0) {
      document.put("total", total);
    }
    return document;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
