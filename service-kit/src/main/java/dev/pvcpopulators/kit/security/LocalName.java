package dev.pvcpopulators.kit.security;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The host names that a service accepts if it listens on loopback and admits every local client.
///
/// A browser on the same host is a local client that shows third-party pages. A third-party page
/// cannot read answers of other origins. But after the page was loaded, its owner can redirect the
/// page's host name to the loopback address (DNS rebinding). The browser then treats the service as
/// the origin of the page. So the service accepts only names that no third party can own:
/// `localhost`, names below `localhost`, and addresses.
final class LocalName {
  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

  private LocalName() {}

  /// Returns true for a name that no third party can own: `localhost`, a name below `localhost`, or
  /// an address.
  ///
  /// @param host the host of the request's authority, without the port; null if there is none. For
  ///   null, the method returns true, because a request without a host is not from a browser
  static boolean is(@Nullable String host) {
    if (host == null) {
      return true;
    }
    String name = host.toLowerCase(Locale.ROOT);
    // A host name contains no colon, so a text with a colon is an IPv6 address, with or without
    // brackets. RFC 6761, section 6.3, reserves the names below localhost.
    return name.equals("localhost")
        || name.endsWith(".localhost")
        || name.indexOf(':') >= 0
        || IPV4.matcher(name).matches();
  }
}
