package dev.pvcpopulators.http;

import java.net.URI;
import java.net.URISyntaxException;

/// The redirects that are followed: to HTTPS, or from plain HTTP to plain HTTP on a listed host.
///
/// @param insecureHosts the hosts to which plain HTTP is allowed
/// @param insecureSetting the setting that lists these hosts, for messages
public record RedirectPolicy(InsecureHosts insecureHosts, String insecureSetting) {
  /// The maximum number of redirects that one call of [DownloadClient#get] or [DownloadClient#head]
  /// follows.
  static final int LIMIT = 5;

  static boolean isRedirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  }

  /// Returns the target of a redirect.
  ///
  /// @param from the URL that was requested
  /// @param location the response's `Location`; empty if the response has none
  /// @throws SourceUnavailableException if the response has no valid `Location`, or if the redirect
  ///   must not be followed
  URI target(URI from, String location) throws SourceUnavailableException {
    String refusal = "Cannot read from " + from.getRawAuthority() + ": it redirects to ";
    if (location.isBlank()) {
      throw new SourceUnavailableException(refusal + "nowhere");
    }
    URI target;
    try {
      target = from.resolve(new URI(location));
    } catch (URISyntaxException _) {
      // The message does not contain the location, because the location may contain a signature.
      throw new SourceUnavailableException(refusal + "an invalid URL");
    }
    if (target.getHost() == null) {
      throw new SourceUnavailableException(refusal + "a URL without a host");
    }
    if (target.getRawUserInfo() != null) {
      throw new SourceUnavailableException(refusal + "a URL with user information");
    }
    boolean secure = "https".equalsIgnoreCase(target.getScheme());
    boolean weaker = "https".equalsIgnoreCase(from.getScheme()) && !secure;
    if (!insecureHosts.allows(target) || weaker) {
      throw new SourceUnavailableException(
          refusal
              + target.getScheme()
              + "://"
              + target.getHost()
              + (target.getPort() < 0 ? "" : ":" + target.getPort())
              + (weaker
                  ? ", which is not HTTPS, although the server itself is"
                  : ", which is neither HTTPS nor listed in " + insecureSetting));
    }
    return target;
  }

  /// Returns whether two URLs have the same origin: scheme, host and port (RFC 6454 §5).
  public static boolean sameOrigin(URI one, URI other) {
    return one.getScheme().equalsIgnoreCase(other.getScheme())
        && one.getHost().equalsIgnoreCase(other.getHost())
        && port(one) == port(other);
  }

  /// Returns the port of a URL: the given port, or else the default port of the scheme.
  static int port(URI uri) {
    if (uri.getPort() >= 0) {
      return uri.getPort();
    }
    return uri.getScheme().equalsIgnoreCase("https") ? 443 : 80;
  }
}
