package dev.pvcpopulators.registry.disk;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import org.junit.jupiter.api.Test;

class ExpansionLimitTest {
  @Test
  void endsAtItsLimit() throws UnsupportedFeatureException {
    ExpansionLimit allowance = new ExpansionLimit();
    allowance.unpacked(16L << 30);
    assertThrows(UnsupportedFeatureException.class, () -> allowance.unpacked(1));
  }

  @Test
  void growsWithThePulledBytes() throws UnsupportedFeatureException {
    ExpansionLimit allowance = new ExpansionLimit();
    allowance.pulled(1_000);
    allowance.unpacked((16L << 30) + 50_000);
    UnsupportedFeatureException thrown =
        assertThrows(UnsupportedFeatureException.class, () -> allowance.unpacked(1));
    assertTrue(String.valueOf(thrown.getMessage()).contains("17179919184"), thrown::toString);
    allowance.pulled(1_000);
    allowance.unpacked(49_999);
  }
}
