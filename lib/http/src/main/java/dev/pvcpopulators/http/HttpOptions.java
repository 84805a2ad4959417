package dev.pvcpopulators.http;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// How a [DownloadClient] connects.
///
/// @param caBundle certificates in PEM that are trusted beside the platform's
/// @param insecureHosts the hosts that may be asked by plain HTTP
/// @param insecureSetting the setting that lists these hosts, for messages
/// @param connectTimeout for a connection with its TLS handshake
/// @param idleTimeout the longest time without a byte
/// @param environment read for `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, which may hold passwords
public record HttpOptions(
    Optional<Path> caBundle,
    InsecureHosts insecureHosts,
    String insecureSetting,
    Duration connectTimeout,
    Duration idleTimeout,
    Map<String, String> environment) {
  private static final Duration MAX_TIMEOUT = Duration.ofHours(1);

  /// @throws IllegalArgumentException for a timeout outside 1 ms to 1 h
  public HttpOptions {
    environment = Map.copyOf(environment);
    requireTimeout("connect", connectTimeout);
    requireTimeout("idle", idleTimeout);
  }

  /// Checks a timeout.
  ///
  /// @param which the timeout's name, for the message
  /// @throws IllegalArgumentException outside 1 ms to 1 h
  public static void requireTimeout(String which, Duration timeout) {
    if (timeout.toMillis() < 1 || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "Expected a " + which + " timeout of 1 ms to 1 h, found " + timeout);
    }
  }

  /// Leaves the environment out.
  @Override
  public String toString() {
    return "HttpOptions[caBundle=" + caBundle + ", insecureHosts=" + insecureHosts + "]";
  }
}
