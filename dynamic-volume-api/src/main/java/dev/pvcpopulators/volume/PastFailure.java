package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/// A failure that was reported, with the time of the report.
public record PastFailure(Instant at, Failure failure) {
  /// Returns the problem document, with the time of the report in the member `at`.
  public ObjectNode document() {
    return Problem.of(failure).document().put("at", at.toString());
  }
}
