package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/// A failure that was told, and when.
public record PastFailure(Instant at, Failure failure) {
  /// The problem document, with the moment as `at`.
  public ObjectNode document() {
    return Problem.of(failure).document().put("at", at.toString());
  }
}
