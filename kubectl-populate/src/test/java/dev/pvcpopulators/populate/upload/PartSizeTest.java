package dev.pvcpopulators.populate.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PartSizeTest {
  @Test
  void growsOnFastLinesUpToALimit() {
    PartSize size = PartSize.first();
    for (int part = 0; part < 10; part++) {
      PartSize next = size.after(Duration.ofMillis(10));
      assertTrue(next.bytes() >= size.bytes());
      size = next;
    }
    assertEquals(PartSize.MOST, size.bytes());
  }

  @Test
  void shrinksOnSlowLinesAndAfterInterruptionsDownToALimit() {
    PartSize slow = new PartSize(PartSize.MOST).after(Duration.ofMinutes(1));
    assertEquals(PartSize.MOST / 2, slow.bytes());
    PartSize size = slow;
    for (int part = 0; part < 10; part++) {
      size = size.interrupted();
    }
    assertEquals(PartSize.LEAST, size.bytes());
  }

  @Test
  void staysWhileAPartTakesAFewSeconds() {
    assertEquals(PartSize.first(), PartSize.first().after(Duration.ofSeconds(2)));
  }
}
