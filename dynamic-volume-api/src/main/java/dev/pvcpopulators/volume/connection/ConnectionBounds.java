package dev.pvcpopulators.volume.connection;

import java.time.Duration;

/// How much of a process strangers can take by connecting to it.
///
/// @param connections at once, at least 1
/// @param busy connections whose requests are not answered yet, from which on nothing but open
///   paths is answered: a share of the above, so that there is always one that can be closed
/// @param headBytes of requests that are not answered, or have not come whole, over all
///   connections. In the heap one takes up to 30 times that: a field of 4 bytes is an entry with
///   two texts
/// @param smallHead bytes of heads that a connection can have however much others have
/// @param patience how long a connection may take to bring the head of a request
record ConnectionBounds(
    int connections, int busy, long headBytes, long smallHead, Duration patience) {
  private static final long HEAD_BYTES = 768L << 10;
  private static final long SMALL_HEAD = 1L << 10;

  static ConnectionBounds of(int connections, Duration patience) {
    return new ConnectionBounds(
        connections, Math.max(1, connections - connections / 4), HEAD_BYTES, SMALL_HEAD, patience);
  }
}
