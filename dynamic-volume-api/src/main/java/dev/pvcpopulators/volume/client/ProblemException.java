package dev.pvcpopulators.volume.client;

import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.SafeText;
import java.io.IOException;

/// Thrown if the answer of a service is a problem (RFC 9457).
public final class ProblemException extends IOException {
  private static final long serialVersionUID = 1L;
  private static final int MOST = 500;

  private final transient Problem problem;

  ProblemException(String request, Problem problem) {
    super(
        "%s: %s %s: %s"
            .formatted(
                request,
                problem.status(),
                SafeText.of(problem.title(), MOST),
                SafeText.of(problem.detail(), MOST)));
    this.problem = problem;
  }

  /// Returns the problem as the service wrote it. The texts of the problem are untrusted; pass them
  /// through [SafeText] before you show them.
  public Problem problem() {
    return problem;
  }
}
