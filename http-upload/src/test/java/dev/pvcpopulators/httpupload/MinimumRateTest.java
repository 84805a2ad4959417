package dev.pvcpopulators.httpupload;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MinimumRateTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final Duration STRETCH = Duration.ofSeconds(10);

  /// A start time near `Long.MAX_VALUE`. The clock may have any origin, so its values may overflow.
  private static final long START = Long.MAX_VALUE - 15 * SECOND;

  private final MinimumRate pace = new MinimumRate(100, STRETCH, START);

  @Test
  void judgesAStretchAtItsEnd() {
    pace.took(999);
    assertFalse(pace.tooSlow(START + 9 * SECOND));
    assertTrue(pace.tooSlow(START + 10 * SECOND));
  }

  @Test
  void earlierBytesDoNotCompensate() {
    pace.took(1_000_000);
    assertFalse(pace.tooSlow(START + 10 * SECOND));
    pace.took(1_000);
    assertFalse(pace.tooSlow(START + 20 * SECOND));
    pace.took(1);
    assertTrue(pace.tooSlow(START + 30 * SECOND));
  }

  @Test
  void unreadBytesDoNotCountAgainstTheClient() {
    pace.begin(START + 9 * SECOND);
    assertFalse(pace.tooSlow(START + 18 * SECOND));
    pace.took(1_000);
    assertFalse(pace.tooSlow(START + 19 * SECOND));
  }

  @Test
  void nothingIsTooSlowWithoutABound() {
    assertFalse(new MinimumRate(0, STRETCH, START).tooSlow(START + 60 * SECOND));
  }
}
