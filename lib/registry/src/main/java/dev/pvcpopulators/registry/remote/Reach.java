package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.registry.SourceUnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Where the answers of one endpoint may lead this machine: redirects, and realms of token servers.
///
/// A registry on the internet has no business with what listens on this machine or tells its
/// credentials on its link; one that is there itself may lead to its neighbours. For several
/// threads.
final class Reach {
  private final String authority;
  private final Set<Locality> own = ConcurrentHashMap.newKeySet();

  /// @param authority of the endpoint, for messages
  Reach(String authority) {
    this.authority = authority;
  }

  /// The endpoint itself was found at an address, and has proved that it is the endpoint where that
  /// is possible.
  void found(InetAddress address) throws SocketException {
    Locality.of(address).ifPresent(own::add);
  }

  /// Judges where a connection that the endpoint asks for is about to go.
  ///
  /// @throws SourceUnavailableException where it may not
  void require(String host, InetAddress address) throws IOException {
    Optional<Locality> locality = Locality.of(address);
    if (locality.isPresent() && !own.contains(locality.get())) {
      throw new SourceUnavailableException(
          "Cannot read from "
              + authority
              + ": it leads to "
              + host
              + ", which is "
              + locality.get().words()
              + ", and is not there itself");
    }
  }
}
