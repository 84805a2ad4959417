package dev.pvcpopulators.volume.security;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What everybody may read without a token: probes and metrics, letter by letter.
public enum OpenPath {
  /// All checks at once.
  HEALTH("/q/health"),
  /// Whether the process is to be restarted.
  LIVE("/q/health/live"),
  /// Whether requests are taken.
  READY("/q/health/ready"),
  /// Whether it is known what a restart left behind.
  STARTED("/q/health/started"),
  /// Prometheus.
  METRICS("/q/metrics");

  private final String path;

  OpenPath(String path) {
    this.path = path;
  }

  /// The path of a URL.
  public String path() {
    return path;
  }

  static boolean isOpen(@Nullable String requested) {
    return Arrays.stream(values()).anyMatch(open -> open.path.equals(requested));
  }
}
