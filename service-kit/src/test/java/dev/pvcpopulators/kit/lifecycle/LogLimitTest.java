package dev.pvcpopulators.kit.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogLimitTest {
  @Test
  void linesOverTheLimitAreCounted() {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE);
    LogLimit limit = new LogLimit(2, now::get);
    assertEquals(OptionalLong.of(0), limit.line());
    assertEquals(OptionalLong.of(0), limit.line());
    assertEquals(OptionalLong.empty(), limit.line());
    assertEquals(OptionalLong.empty(), limit.line());
    now.addAndGet(Duration.ofMinutes(1).toNanos());
    assertEquals(OptionalLong.of(2), limit.line());
    assertEquals(OptionalLong.of(0), limit.line());
    assertEquals(OptionalLong.empty(), limit.line());
  }
}
