package dev.pvcpopulators.iscsitarget.login;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// A rate limit for logins from an address after failed authentications. Each address has its own
/// count of failures, which decreases by one in each interval of [#PACE]. A count of up to [#FREE]
/// causes no delay. While the count is greater than [#FREE], only one login from the address
/// continues in each interval of [#PACE], and a login that would have to wait longer than
/// [#PATIENCE] is refused. For IPv6, a /64 network counts as one address, because one host can use
/// every address of such a network. Thread-safe.
public final class ChapGuesses {
  /// The greatest count of failures that causes no delay.
  public static final int FREE = 8;

  public static final Duration PACE = Duration.ofSeconds(1);

  /// The longest delay of a login; the time-out of a login must be longer.
  public static final Duration PATIENCE = Duration.ofSeconds(5);

  /// The maximum number of addresses that are remembered. The address with the longest time since
  /// its last failure is evicted first.
  public static final int MOST = 4096;

  private static final int NETWORK_OF_IPV6 = 8;

  private final LongSupplier clock;
  private final Map<ByteBuffer, Failures> failures = new LinkedHashMap<>();

  /// The failures of one address. The fields are times of [#clock].
  private static final class Failures {
    /// The time at which the count of failures is 0 again.
    private long forgiven;

    /// The time at which the next login may continue.
    private long next;

    private Failures(long now) {
      forgiven = now;
      next = now;
    }
  }

  /// Creates a rate limit without failures.
  ///
  /// @param clock the clock, in nanoseconds as [System#nanoTime]
  public ChapGuesses(LongSupplier clock) {
    this.clock = clock;
  }

  /// Returns how long a new login from an address must wait. While the rate limit applies, each
  /// login that is not refused delays the next login from the address.
  ///
  /// @return the delay of the login; negative if the login is refused
  public synchronized Duration delay(InetAddress address) {
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

  /// Registers a failed authentication from an address.
  public synchronized void failed(InetAddress address) {
    long now = clock.getAsLong();
    ByteBuffer network = network(address);
    Failures known = failures.remove(network);
    Failures counted = known == null ? new Failures(now) : known;
    counted.forgiven = now + Math.max(0, counted.forgiven - now) + PACE.toNanos();
    failures.put(network, counted); // moves the address to the end
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
