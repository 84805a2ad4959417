package dev.pvcpopulators.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The addresses that one origin may have, and the addresses to which its responses may lead. A
/// response leads to another address if it redirects, or if it names a registry's token server.
///
/// A response must not lead to this machine, a link-local or multicast address, or a cloud's
/// metadata service (server-side request forgery, CWE-918). The only exception: if the origin
/// itself has such an address, its responses may lead to addresses of the same `AddressScope`.
/// Thread-safe.
public final class AddressPolicy {
  private final String authority;
  private final boolean free;
  private final String setting;
  private final Set<AddressScope> own = ConcurrentHashMap.newKeySet();

  /// Creates the policy of one origin.
  ///
  /// @param authority the authority of the origin, for messages
  /// @param free whether the origin may have any address, because a setting names the origin
  /// @param setting the name of a setting, for messages: an origin that this setting lists may have
  ///   any address
  public AddressPolicy(String authority, boolean free, String setting) {
    this.authority = authority;
    this.free = free;
    this.setting = setting;
  }

  /// Records an address of the origin. The caller calls this method after the connection is set up;
  /// if the connection uses TLS, after the TLS handshake.
  void found(InetAddress address) throws SocketException {
    AddressScope.of(address).ifPresent(own::add);
  }

  /// Checks the address of a connection to the origin, before the connection is opened.
  ///
  /// @throws SourceDeniedException if no setting names the origin, and the address has an
  ///   [AddressScope]
  void requireOrigin(InetAddress address) throws IOException {
    Optional<AddressScope> scope = free ? Optional.empty() : AddressScope.of(address);
    if (scope.isPresent()) {
      throw new SourceDeniedException(
          ("Access to %s is denied: a client chose this address, which is %s; to permit it, list it"
                  + " in %s")
              .formatted(authority, scope.get().words(), setting));
    }
  }

  /// Checks the address of a connection to a server that a response named, before the connection is
  /// opened.
  ///
  /// @throws SourceUnavailableException if the response may not lead to this address
  void requireRedirected(String host, InetAddress address) throws IOException {
    Optional<AddressScope> scope = AddressScope.of(address);
    if (scope.isPresent() && !own.contains(scope.get())) {
      throw new SourceUnavailableException(
          ("Cannot read from %s: its response leads to %s, which is %s; only a server with such"
                  + " an address may do that")
              .formatted(authority, host, scope.get().words()));
    }
  }
}
