package dev.pvcpopulators.iscsitarget.session;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/// The addresses and limits of a server.
///
/// @param portals the addresses to bind; port 0 chooses a free port
/// @param advertised the addresses (`host:port`) that discovery reports. If the list is empty,
///   discovery reports the bound addresses, and replaces a wildcard address by the address to which
///   the initiator connected
/// @param maxSessions the maximum number of normal sessions at the same time; each session has its
///   own buffers
/// @param maxConnections the maximum number of connections at the same time, including connections
///   that are not logged in
/// @param loginTimeout the time limit from the start of a connection to the last Login Request.
///   This option also limits how long a login waits for older sessions of the same initiator to
///   end, and how long the initiator of a discovery session may be silent
/// @param keepalive the longest silence of the initiator of a normal session before the server
///   sends a NOP-In ping; also the time limit for the answer to the ping
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

  /// Returns options with one portal; all other options have their default values.
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
