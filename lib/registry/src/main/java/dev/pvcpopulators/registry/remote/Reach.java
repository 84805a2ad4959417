package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.registry.SourceDeniedException;
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
  private final boolean free;
  private final String setting;
  private final Set<Locality> own = ConcurrentHashMap.newKeySet();

  /// @param authority of the endpoint, for messages
  /// @param free whether the endpoint itself may be anywhere: a setting names it
  /// @param setting that lets it, for messages
  Reach(String authority, boolean free, String setting) {
    this.authority = authority;
    this.free = free;
    this.setting = setting;
  }

  /// The endpoint itself was found at an address, and has proved that it is the endpoint where that
  /// is possible.
  void found(InetAddress address) throws SocketException {
    Locality.of(address).ifPresent(own::add);
  }

  /// Judges where a connection to the endpoint itself is about to go.
  ///
  /// @throws SourceDeniedException where a client may not choose it
  void requireItself(InetAddress address) throws IOException {
    Optional<Locality> locality = free ? Optional.empty() : Locality.of(address);
    if (locality.isPresent()) {
      throw new SourceDeniedException(
          "Access to "
              + authority
              + " is denied: it was chosen by a client and is "
              + locality.get().words()
              + "; list it in "
              + setting
              + " if it may be asked");
    }
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
