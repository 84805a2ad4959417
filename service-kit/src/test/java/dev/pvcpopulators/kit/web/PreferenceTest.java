package dev.pvcpopulators.kit.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreferenceTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "respond-async|0",
        "Respond-Async|0",
        "wait=10|10",
        "wait = \"10\"|10",
        "respond-async, wait=10|10",
        "wait=10;x=y, respond-async|10",
        "wait=3, wait=4|3",
        "wait=999999999|86400",
        "foo, respond-async; bar=1|0"
      })
  void patienceIsRead(String field, long seconds) {
    assertEquals(
        Optional.of(Duration.ofSeconds(seconds)), Preference.of(List.of(field)).patience());
  }

  @Test
  void othersAreIgnored() {
    List<String> fields = List.of("", ",", "wait", "wait=x", "wait=-1", "respond-asynchronous");
    assertEquals(Optional.empty(), Preference.of(fields).patience());
    assertEquals(
        Optional.of(Duration.ofSeconds(7)),
        Preference.of(List.of("respond-async", "wait=7")).patience());
  }
}
