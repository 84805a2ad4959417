package dev.pvcpopulators.iscsitarget.session;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/// How a server listens and what it bears.
///
/// @param portals addresses to bind; port 0 takes a free one
/// @param advertised `host:port` of each portal as initiators reach it, which is what discovery
///   tells them; empty for the addresses bound
/// @param maxSessions normal sessions at once; each has buffers of its own
/// @param maxConnections connections at once, those included that have not logged in
/// @param loginTimeout from the connection to full-feature phase
/// @param keepalive how long an initiator may be silent until it is asked by a NOP-In whether it is
///   there, and again as long for its answer
/// @param arrivalTimeout how long a command waits for data on its way until it ends with BUSY
/// @param requireDigests refuses an initiator that wants no CRC32C
/// @param takeMd5 takes CHAP with MD5 of an initiator that offers nothing stronger
public record ServerOptions(
    List<InetSocketAddress> portals,
    List<String> advertised,
    int maxSessions,
    int maxConnections,
    Duration loginTimeout,
    Duration keepalive,
    Duration arrivalTimeout,
    boolean requireDigests,
    boolean takeMd5) {
  public ServerOptions {
    portals = List.copyOf(portals);
    advertised = List.copyOf(advertised);
  }

  /// One portal and the defaults.
  public static ServerOptions on(InetSocketAddress portal) {
    return new ServerOptions(
        List.of(portal),
        List.of(),
        64,
        2048,
        Duration.ofSeconds(15),
        Duration.ofSeconds(30),
        Duration.ofSeconds(20),
        false,
        true);
  }
}
