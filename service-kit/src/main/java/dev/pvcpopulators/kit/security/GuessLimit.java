package dev.pvcpopulators.kit.security;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Limits how many wrong tokens an address may try: [#BURST] tokens at once, and then one token in
/// each [#PERIOD] (the token bucket algorithm). Beyond this limit, tokens are not examined, so that
/// no guess can succeed.
///
/// Requests without a token are not guesses. After an address has sent a token that was allowed,
/// the address is not limited for the time [#TRUSTED]. The reason is that clients behind one proxy
/// share an address, and a client that guesses must not lock out the other clients.
final class GuessLimit implements Access {
  static final int BURST = 64;
  static final Duration PERIOD = Duration.ofSeconds(1);
  static final Duration TRUSTED = Duration.ofMinutes(1);

  /// The maximum number of addresses; the least recently used address is evicted first.
  static final int MAX_ADDRESSES = 4_096;

  /// The state of an address. Both times are values of the clock, in nanoseconds.
  ///
  /// @param paid the time from which the address may try [#BURST] wrong tokens again
  /// @param trusted the time until which the address is not limited
  private record Account(long paid, long trusted) {}

  private final Access access;
  private final LongSupplier nanoTime;
  private final SequencedMap<String, Account> accounts = new LinkedHashMap<>(16, 0.75f, true);

  /// Wraps an access rule.
  ///
  /// @param access decides about the tokens that are examined, and about requests without a token
  /// @param nanoTime a clock in nanoseconds, such as [System#nanoTime]
  GuessLimit(Access access, LongSupplier nanoTime) {
    this.access = access;
    this.nanoTime = nanoTime;
  }

  @Override
  public CompletionStage<Decision> decide(@Nullable String token, String address) {
    if (token == null) {
      return access.decide(null, address);
    }
    if (isLimited(address)) {
      return CompletableFuture.completedStage(Decision.LIMITED);
    }
    return access
        .decide(token, address)
        .thenApply(decision -> {
          note(address, decision);
          return decision;
        });
  }

  private synchronized boolean isLimited(String address) {
    Account account = accounts.get(address);
    long now = nanoTime.getAsLong();
    return account != null
        && account.trusted() - now <= 0
        && account.paid() - now > (BURST - 1) * PERIOD.toNanos();
  }

  private synchronized void note(String address, Decision decision) {
    long now = nanoTime.getAsLong();
    if (decision == Decision.ALLOWED) {
      keep(address, new Account(now, now + TRUSTED.toNanos()));
    } else if (decision == Decision.UNAUTHENTICATED) {
      Account before = accounts.getOrDefault(address, new Account(now, now));
      long from = before.paid() - now > 0 ? before.paid() : now;
      // A trusted address may try any number of wrong tokens, and each of them moves `paid` into
      // the future. So `paid` has an upper bound.
      long most = now + BURST * PERIOD.toNanos();
      long paid = from + PERIOD.toNanos();
      keep(address, new Account(paid - most > 0 ? most : paid, before.trusted()));
    }
  }

  private void keep(String address, Account account) {
    accounts.put(address, account);
    if (accounts.size() > MAX_ADDRESSES) {
      accounts.pollFirstEntry();
    }
  }
}
