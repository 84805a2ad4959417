package dev.pvcpopulators.iscsitarget.session;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// How long logins of an address wait that has failed to prove itself too often: so many failures
/// are free, and one more each [#PACE]; beyond, its logins come one by one, one each [#PACE], and
/// those that would wait longer than [#PATIENCE] are not taken. Other addresses wait for nothing.
/// Of IPv6, a network of 64 bits counts as one address: a host has all of it. Thread-safe.
final class ChapGuesses {
  /// Failures that cost no time.
  static final int FREE = 8;

  static final Duration PACE = Duration.ofSeconds(1);

  /// How long a login waits at most; a login has less than twice of it.
  static final Duration PATIENCE = Duration.ofSeconds(5);

  /// Addresses that are remembered. The one that failed longest ago is forgotten first.
  static final int MOST = 4096;

  private static final int NETWORK_OF_IPV6 = 8;

  private final LongSupplier clock;
  private final Map<ByteBuffer, Failures> failures = new LinkedHashMap<>();

  /// Times of [#clock].
  private static final class Failures {
    /// When all failures will have been forgiven.
    private long forgiven;

    /// When the next login may go on.
    private long next;

    private Failures(long now) {
      forgiven = now;
      next = now;
    }
  }

  /// @param clock as [System#nanoTime]
  ChapGuesses(LongSupplier clock) {
    this.clock = clock;
  }

  /// A login from an address begins.
  ///
  /// @return how long it has to wait; negative where it is not taken
  synchronized Duration delay(InetAddress address) {
    Failures known = failures.get(network(address));
    long now = clock.getAsLong();
    if (known == null || known.forgiven - now <= FREE * PACE.toNanos()) {
      return Duration.ZERO;
    }
    long slot = now + Math.max(0, known.next - now);
    if (slot - now > PATIENCE.toNanos()) {
      return Duration.ofNanos(-1);
    }
    known.next = slot + PACE.toNanos();
    return Duration.ofNanos(slot - now);
  }

  /// A login from an address has failed to prove who it is.
  synchronized void failed(InetAddress address) {
    long now = clock.getAsLong();
    ByteBuffer network = network(address);
    Failures known = failures.remove(network);
    Failures counted = known == null ? new Failures(now) : known;
    counted.forgiven = now + Math.max(0, counted.forgiven - now) + PACE.toNanos();
    failures.put(network, counted); // as the last one
    if (failures.size() > MOST) {
      failures.remove(failures.keySet().iterator().next());
    }
  }

  private static ByteBuffer network(InetAddress address) {
    byte[] bytes = address.getAddress();
    return ByteBuffer.wrap(
        address instanceof Inet6Address ? Arrays.copyOf(bytes, NETWORK_OF_IPV6) : bytes);
  }
}
