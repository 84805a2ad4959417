package dev.pvcpopulators.iscsitarget.session;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/// The addresses and limits of a server.
///
/// @param portals the addresses to bind; port 0 chooses a free port
/// @param advertised the `host:port` under which initiators can reach each portal. Discovery
///   reports these addresses, or the bound addresses if the list is empty
/// @param maxSessions the maximum number of normal sessions at the same time; each session has its
///   own buffers
/// @param maxConnections the maximum number of connections at the same time, including connections
///   that are not logged in
/// @param loginTimeout the time limit from the start of a connection to the last Login Request. It
///   is also the time limit for the end of an older session that a login replaces, or whose
///   connection the same initiator has closed, and the longest silence in a discovery session
/// @param keepalive the longest silence of an initiator before a NOP-In ping, and the time limit
///   for its answer
/// @param arrivalTimeout the longest time that a command waits before it runs, in total: for
///   earlier commands, and for data that the medium does not have yet. After this time, the command
///   ends with BUSY
/// @param requireDigests if true, each normal session must use CRC32C for both headers and data;
///   the server refuses all other normal sessions
/// @param takeMd5 whether CHAP with MD5 is accepted if an initiator offers no stronger algorithm
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

  /// Returns the options for one portal with defaults.
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
