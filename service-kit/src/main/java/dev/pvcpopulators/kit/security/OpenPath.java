package dev.pvcpopulators.kit.security;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The exact paths that are open without a token: probes and metrics.
public enum OpenPath {
  /// All health checks at once.
  HEALTH("/q/health"),
  /// The liveness check.
  LIVE("/q/health/live"),
  /// The readiness check.
  READY("/q/health/ready"),
  /// The startup check.
  STARTED("/q/health/started"),
  /// Metrics for Prometheus.
  METRICS("/q/metrics");

  private final String path;

  OpenPath(String path) {
    this.path = path;
  }

  /// Returns the path part of the URL, such as `/q/health`.
  public String path() {
    return path;
  }

  static boolean isOpen(@Nullable String requested) {
    return Arrays.stream(values()).anyMatch(open -> open.path.equals(requested));
  }
}
