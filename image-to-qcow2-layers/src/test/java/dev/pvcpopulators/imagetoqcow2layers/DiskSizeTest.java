package dev.pvcpopulators.imagetoqcow2layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DiskSizeTest {
  @ParameterizedTest
  @CsvSource({
    "10G, 10737418240",
    "10Gi, 10737418240",
    "10GiB, 10737418240",
    "1024M, 1073741824",
    "7, 7",
    "' 2T ', 2199023255552",
    "8388607T, 9223370937343148032"
  })
  void readsHandWrittenDocuments(String text, long bytes) {
    assertEquals(bytes, DiskSize.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "G", "-1G", "1.5G", "10g", "10 G", "8388608T", "99999999999999999999"})
  void refusesWhatIsNone(String text) {
    assertThrows(IllegalArgumentException.class, () -> DiskSize.parse(text));
  }

  @Test
  void showsTheLargestUnitThatLeavesAWholeNumber() {
    assertEquals("10G", DiskSize.of(10L << 30));
    assertEquals("10241M", DiskSize.of((10L << 30) + (1 << 20)));
    assertEquals("4097", DiskSize.of(4097));
    assertEquals("0", DiskSize.of(0));
  }
}
