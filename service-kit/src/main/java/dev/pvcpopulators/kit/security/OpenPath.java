package dev.pvcpopulators.kit.security;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The exact paths that are open without a token: probes and metrics.
public enum OpenPath {
  /// All checks at once.
  HEALTH("/q/health"),
  /// Whether the process has to be restarted.
  LIVE("/q/health/live"),
  /// Whether requests are accepted.
  READY("/q/health/ready"),
  /// Whether the recovery after a restart is done.
  STARTED("/q/health/started"),
  /// Prometheus.
  METRICS("/q/metrics");

  private final String path;

  OpenPath(String path) {
    this.path = path;
  }

  /// Returns the path of a URL.
  public String path() {
    return path;
  }

  static boolean isOpen(@Nullable String requested) {
    return Arrays.stream(values()).anyMatch(open -> open.path.equals(requested));
  }
}
