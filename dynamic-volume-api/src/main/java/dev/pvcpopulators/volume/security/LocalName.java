package dev.pvcpopulators.volume.security;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// By which names a service is asked that listens to its own machine and lets in everybody there.
///
/// A browser on that machine is such a one, and shows pages of strangers. These cannot read answers
/// of other origins, but can have their own name point to the loopback address once the page is
/// there (DNS rebinding): then the service is of their origin. So it answers to names that cannot
/// be a stranger's: `localhost`, and addresses.
final class LocalName {
  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

  private LocalName() {}

  /// Whether nobody but this machine can have that name.
  ///
  /// @param host of the request's authority, without the port; null where it has none, which no
  ///   browser sends
  static boolean is(@Nullable String host) {
    if (host == null) {
      return true;
    }
    String name = host.toLowerCase(Locale.ROOT);
    // A colon is in no name: an IPv6 address, with or without its brackets. RFC 6761, section 6.3,
    // has the names below localhost.
    return name.equals("localhost")
        || name.endsWith(".localhost")
        || name.indexOf(':') >= 0
        || IPV4.matcher(name).matches();
  }
}
