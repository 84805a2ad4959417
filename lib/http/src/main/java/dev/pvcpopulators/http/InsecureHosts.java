package dev.pvcpopulators.http;

import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// The hosts to which plain HTTP is allowed.
///
/// @param names `host[:port]` of each host; the constructor converts each name to lower case and
///   removes HTTP's default port
public record InsecureHosts(Set<String> names) {
  private static final String DEFAULT_PORT = ":80";

  public InsecureHosts {
    names =
        names.stream()
            .map(name -> withoutPort(name, DEFAULT_PORT))
            .collect(Collectors.toUnmodifiableSet());
  }

  /// Returns whether a host is listed.
  ///
  /// @param authority `host[:port]`
  public boolean allows(String authority) {
    return names.contains(withoutPort(authority, DEFAULT_PORT));
  }

  /// Returns whether a request to a URI is allowed: by HTTPS, or by HTTP to a listed host. A URI
  /// without a host or with user information is not allowed.
  public boolean allows(URI uri) {
    if (uri.getHost() == null || uri.getRawUserInfo() != null) {
      return false;
    }
    return switch (String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT)) {
      case "https" -> true;
      case "http" -> allows(uri.getRawAuthority());
      default -> false;
    };
  }

  /// Returns an authority in lower case, and without its port if the authority ends with `port`.
  ///
  /// @param port a port with its colon, such as `:80`
  public static String withoutPort(String authority, String port) {
    String lower = authority.toLowerCase(Locale.ROOT);
    return lower.endsWith(port) ? lower.substring(0, lower.length() - port.length()) : lower;
  }
}
