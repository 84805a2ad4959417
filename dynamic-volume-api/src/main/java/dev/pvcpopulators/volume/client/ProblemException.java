package dev.pvcpopulators.volume.client;

import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.SafeText;
import java.io.IOException;

/// Reports the problem (RFC 9457) in a service's answer.
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

  /// Returns the problem as the service wrote it. Its texts are untrusted: show them with
  /// [SafeText].
  public Problem problem() {
    return problem;
  }
}
