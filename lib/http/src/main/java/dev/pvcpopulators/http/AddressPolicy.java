package dev.pvcpopulators.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Which addresses one origin may be at, and which its responses may lead to: by redirects, or by
/// the token servers that a registry names.
///
/// A server on the internet must not lead to this machine, its link or a cloud's metadata; a server
/// that is there itself may lead to its neighbours (server-side request forgery, CWE-918). For
/// several threads.
public final class AddressPolicy {
  private final String authority;
  private final boolean free;
  private final String setting;
  private final Set<AddressScope> own = ConcurrentHashMap.newKeySet();

  /// @param authority of the origin, for messages
  /// @param free whether the origin may be at any address, because a setting names it
  /// @param setting the setting that lists such origins, for messages
  public AddressPolicy(String authority, boolean free, String setting) {
    this.authority = authority;
    this.free = free;
    this.setting = setting;
  }

  /// Notes an address of the origin, after the TLS handshake if there is one.
  void found(InetAddress address) throws SocketException {
    AddressScope.of(address).ifPresent(own::add);
  }

  /// Checks where a connection to the origin is about to go.
  ///
  /// @throws SourceDeniedException if a client may not choose it
  void requireOrigin(InetAddress address) throws IOException {
    Optional<AddressScope> scope = free ? Optional.empty() : AddressScope.of(address);
    if (scope.isPresent()) {
      throw new SourceDeniedException(
          "Access to "
              + authority
              + " is denied: it was chosen by a client and is "
              + scope.get().words()
              + "; list it in "
              + setting
              + " if it may be asked");
    }
  }

  /// Checks where a connection that a response asked for is about to go.
  ///
  /// @throws SourceUnavailableException if it may not go there
  void requireRedirected(String host, InetAddress address) throws IOException {
    Optional<AddressScope> scope = AddressScope.of(address);
    if (scope.isPresent() && !own.contains(scope.get())) {
      throw new SourceUnavailableException(
          "Cannot read from "
              + authority
              + ": it leads to "
              + host
              + ", which is "
              + scope.get().words()
              + ", and is not there itself");
    }
  }
}
