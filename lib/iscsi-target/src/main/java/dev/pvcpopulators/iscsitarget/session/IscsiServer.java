package dev.pvcpopulators.iscsitarget.session;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/// An iSCSI server: portals, the targets behind them, and their sessions. Thread-safe.
@SuppressWarnings({"DoNotCallSuggester", "DoNotCall"}) // until it is written
public final class IscsiServer implements AutoCloseable {
  /// Binds the portals and takes connections from now on. A target can be added at any time.
  ///
  /// @throws IOException where a portal cannot be bound; none is then
  public static IscsiServer open(ServerOptions options) throws IOException {
    throw new UnsupportedOperationException();
  }

  /// The addresses bound, in the order of the options.
  public List<InetSocketAddress> portals() {
    throw new UnsupportedOperationException();
  }

  /// Offers a target.
  ///
  /// @throws IllegalArgumentException where the name is taken, or is no iSCSI name (RFC 7143,
  ///   section 4.2.7)
  public void add(Target target) {
    throw new UnsupportedOperationException();
  }

  /// Asks the target's initiators to log out (asynchronous message, event 1), and ends the sessions
  /// of those that have not after a grace. Returns when none is left.
  public void remove(String name, Duration grace) throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  public List<SessionInfo> sessions() {
    throw new UnsupportedOperationException();
  }

  /// As [#remove] for all targets, and takes no new connection.
  public void close(Duration grace) throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /// Ends everything at once.
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
