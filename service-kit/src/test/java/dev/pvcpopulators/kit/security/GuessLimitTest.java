package dev.pvcpopulators.kit.security;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.kit.security.Access.Decision;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GuessLimitTest {
  private static final String RIGHT = "the-token-of-this-test";
  private static final String ADDRESS = "192.0.2.66";
  private static final String OTHER = "192.0.2.7";

  private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1_000);
  private GuessLimit limit;

  @BeforeEach
  void begin() throws IOException {
    limit = new GuessLimit(new SharedToken(Optional.of(RIGHT), Optional.empty(), 1), nanoTime::get);
  }

  private Decision decide(@Nullable String token, String address) {
    return limit.decide(token, address).toCompletableFuture().join();
  }

  private void guess(int times) {
    for (int i = 0; i < times; i++) {
      assertEquals(Decision.UNAUTHENTICATED, decide("wrong-" + i, ADDRESS));
    }
  }

  private void pass(Duration time) {
    nanoTime.addAndGet(time.toNanos());
  }

  @Test
  void tokensAreNotLookedAtAfterManyWrongOnes() {
    guess(GuessLimit.BURST);
    assertEquals(Decision.LIMITED, decide("wrong", ADDRESS));
    assertEquals(Decision.LIMITED, decide(RIGHT, ADDRESS));
    assertEquals(Decision.ALLOWED, decide(RIGHT, OTHER));
  }

  @Test
  void oneMoreIsLookedAtAfterEachPeriod() {
    guess(GuessLimit.BURST);
    for (int i = 0; i < 10; i++) {
      assertEquals(Decision.LIMITED, decide("wrong", ADDRESS));
      pass(GuessLimit.PERIOD);
      guess(1);
    }
    pass(GuessLimit.PERIOD);
    assertEquals(Decision.ALLOWED, decide(RIGHT, ADDRESS));
  }

  @Test
  void requestsWithoutATokenAreNoGuesses() {
    for (int i = 0; i < 2 * GuessLimit.BURST; i++) {
      assertEquals(Decision.UNAUTHENTICATED, decide(null, ADDRESS));
    }
    guess(GuessLimit.BURST);
    assertEquals(Decision.UNAUTHENTICATED, decide(null, ADDRESS));
  }

  @Test
  void guessesLockNoOtherClientOfTheAddressOut() {
    assertEquals(Decision.ALLOWED, decide(RIGHT, ADDRESS));
    guess(2 * GuessLimit.BURST);
    assertEquals(Decision.ALLOWED, decide(RIGHT, ADDRESS));
    pass(GuessLimit.TRUSTED);
    guess(GuessLimit.BURST);
    assertEquals(Decision.LIMITED, decide(RIGHT, ADDRESS));
  }

  @Test
  void addressesAreForgottenForOthers() {
    guess(GuessLimit.BURST);
    for (int i = 0; i < GuessLimit.MAX_ADDRESSES; i++) {
      assertEquals(Decision.UNAUTHENTICATED, decide("wrong", "address-" + i));
    }
    assertEquals(Decision.ALLOWED, decide(RIGHT, ADDRESS));
  }
}
