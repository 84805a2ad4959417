package dev.pvcpopulators.http;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// The connection settings of a [DownloadClient].
///
/// @param caBundle the file with certificates in PEM that are trusted in addition to the platform's
///   certificates; empty if there is none
/// @param insecureHosts the hosts to which a redirect may lead by plain HTTP. The client checks
///   only the targets of redirects; the caller must check the host of each requested URL.
/// @param insecureSetting the setting that lists these hosts, for messages
/// @param connectTimeout the time limit for connecting to one address. Without a proxy, it is also
///   the time limit for each read of the TLS handshake
/// @param idleTimeout the longest time without a received byte; it also applies to a proxy's answer
///   to CONNECT, and to the TLS handshake through the proxy
/// @param environment the environment variables. Only `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` and
///   the same names in lower case are used. The values may contain passwords
public record HttpOptions(
    Optional<Path> caBundle,
    InsecureHosts insecureHosts,
    String insecureSetting,
    Duration connectTimeout,
    Duration idleTimeout,
    Map<String, String> environment) {
  private static final Duration MAX_TIMEOUT = Duration.ofHours(1);

  /// Checks the time-outs.
  ///
  /// @throws IllegalArgumentException for a time-out outside 1 ms to 1 h
  public HttpOptions {
    environment = Map.copyOf(environment);
    requireTimeout("connect", connectTimeout);
    requireTimeout("idle", idleTimeout);
  }

  /// Checks a time-out.
  ///
  /// @param which the time-out's name, for the message
  /// @throws IllegalArgumentException if the time-out is outside 1 ms to 1 h
  public static void requireTimeout(String which, Duration timeout) {
    if (timeout.toMillis() < 1 || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "Expected a " + which + " timeout of 1 ms to 1 h, found " + timeout);
    }
  }

  /// Returns a text that does not contain the environment.
  @Override
  public String toString() {
    return "HttpOptions[caBundle=" + caBundle + ", insecureHosts=" + insecureHosts + "]";
  }
}
