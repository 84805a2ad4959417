package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.login.ChapGuesses;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChapGuessesTest {
  private long now = Long.MAX_VALUE - 5;
  private final ChapGuesses guesses = new ChapGuesses(() -> now);

  private void fail(String address, int times) throws UnknownHostException {
    for (int i = 0; i < times; i++) {
      guesses.failed(InetAddress.getByName(address));
    }
  }

  private Duration delay(String address) throws UnknownHostException {
    return guesses.delay(InetAddress.getByName(address));
  }

  @Test
  void aFewWrongSecretsAreNotDelayed() throws UnknownHostException {
    fail("192.0.2.1", ChapGuesses.FREE);
    assertEquals(Duration.ZERO, delay("192.0.2.1"));
    assertEquals(Duration.ZERO, delay("192.0.2.1"));
  }

  @Test
  void loginsAfterWrongSecretsAreDelayed() throws UnknownHostException {
    fail("192.0.2.1", 100);
    long most = ChapGuesses.PATIENCE.dividedBy(ChapGuesses.PACE);
    for (int i = 0; i <= most; i++) {
      assertEquals(ChapGuesses.PACE.multipliedBy(i), delay("192.0.2.1"));
    }
    assertTrue(delay("192.0.2.1").isNegative());
    now += ChapGuesses.PACE.toNanos();
    assertEquals(ChapGuesses.PATIENCE, delay("192.0.2.1"));
    assertTrue(delay("192.0.2.1").isNegative());
  }

  @Test
  void othersWaitForNothing() throws UnknownHostException {
    fail("192.0.2.1", 100);
    assertEquals(Duration.ZERO, delay("192.0.2.2"));
    assertEquals(Duration.ZERO, delay("2001:db8::1"));
  }

  @Test
  void aHostWithManyAddressesIsOne() throws UnknownHostException {
    for (int i = 0; i < 100; i++) {
      fail("2001:db8::" + i, 1);
    }
    assertEquals(Duration.ZERO, delay("2001:db8::ffff"));
    assertEquals(ChapGuesses.PACE, delay("2001:db8::ffff"));
    assertEquals(Duration.ZERO, delay("2001:db8:0:1::1"));
  }

  @Test
  void failuresAreForgiven() throws UnknownHostException {
    fail("192.0.2.1", ChapGuesses.FREE + 3);
    now += ChapGuesses.PACE.multipliedBy(3).toNanos();
    assertEquals(Duration.ZERO, delay("192.0.2.1"));
    assertEquals(Duration.ZERO, delay("192.0.2.1"));
  }

  @Test
  void itRemembersSoManyAddresses() throws UnknownHostException {
    fail("192.0.2.1", 100);
    for (int i = 0; i < ChapGuesses.MOST; i++) {
      fail("10.0." + i / 256 + "." + i % 256, 1);
    }
    assertEquals(Duration.ZERO, delay("192.0.2.1"));
    assertEquals(Duration.ZERO, delay("192.0.2.1"));
  }
}
