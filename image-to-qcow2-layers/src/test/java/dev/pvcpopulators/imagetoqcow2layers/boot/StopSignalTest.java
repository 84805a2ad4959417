package dev.pvcpopulators.imagetoqcow2layers.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.it.Command;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StopSignalTest {
  @ParameterizedTest
  @CsvSource({
    "'', 15", "SIGTERM, 15", "TERM, 15", "sigquit, 3", "SIGRTMIN, 34", "SIGRTMIN+3, 37",
    "RTMIN+30, 64", "SIGRTMAX-1, 63", "RTMAX-30, 34", "9, 9", "64, 64", "1, 1",
  })
  void readsNamesAndNumbers(String text, int number) throws Exception {
    assertEquals(number, StopSignal.parse(text).number());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "65",
        "-1",
        "SIG",
        "SIGNOTHING",
        "RTMIN-1",
        "RTMIN+31",
        "RTMAX+1",
        "RTMAX-31",
        "15; reboot",
        "999999999999",
        "SIG15"
      })
  void refusesOthers(String text) {
    assertThrows(UnsupportedFeatureException.class, () -> StopSignal.parse(text));
  }

  /// The expected names and numbers come from `kill -l` of busybox.
  @Test
  @Tag("tools")
  void numbersAreThoseOfLinux() throws Exception {
    for (int number = 1; number <= 31; number++) {
      String name = Command.run("busybox", "kill", "-l", Integer.toString(number)).strip();
      assertEquals(number, StopSignal.parse(name).number(), name);
    }
  }
}
