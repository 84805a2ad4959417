package dev.pvcpopulators.kit.connection;

import java.time.Duration;

/// The limits on the resources that clients can use by connecting to the service.
///
/// @param connections the maximum number of connections at once, at least 1
/// @param busy if more than this number of connections have unanswered requests, the service serves
///   only probes, metrics and the files of the web page. `busy` should be less than `connections`,
///   so that some connections are idle and can be closed
/// @param headBytes the maximum number of bytes in the heads of unanswered requests and in
///   incomplete heads, over all connections. In the heap a head takes up to 30 times as many bytes
///   as on the wire: a header field of 4 bytes becomes a map entry with two strings
/// @param smallHead the number of head bytes that each connection may always have, regardless of
///   the other connections
/// @param patience time limit for a connection to send the head of a request
record ConnectionBounds(
    int connections, int busy, long headBytes, long smallHead, Duration patience) {
  private static final long HEAD_BYTES = 768L << 10;
  private static final long SMALL_HEAD = 1L << 10;

  static ConnectionBounds of(int connections, Duration patience) {
    return new ConnectionBounds(
        connections, Math.max(1, connections - connections / 4), HEAD_BYTES, SMALL_HEAD, patience);
  }
}
