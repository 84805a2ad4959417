package dev.pvcpopulators.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.retry.ContentRange;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests the parsers of delays, ranges and host names.
class HeaderFieldsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "0, 0",
        "7, 7",
        "60, 60",
        "61, 60",
        "999999999999999999, 60",
        "9999999999999999999, none",
        "-1, none",
        "soon, none",
        "'Thu, 01 Jan 2026 00:00:09 GMT', 9",
        "'Thu, 01 Jan 2026 00:02:00 GMT', 60",
        "'Wed, 31 Dec 2025 23:59:59 GMT', 0"
      })
  void waitsAsAsked(String header, Long seconds) {
    assertEquals(Optional.ofNullable(seconds).map(Duration::ofSeconds), Backoff.asked(header, NOW));
  }

  @Test
  void waitsLongerEachTimeAndNeverTooLong() {
    for (int failures = 1; failures <= 100; failures++) {
      long most = failures > 6 ? 30_000 : 500L << (failures - 1);
      long delay = Backoff.DEFAULT.delay(failures).toMillis();
      assertTrue(delay >= 0 && delay <= most, failures + " failures: " + delay + " ms");
    }
  }

  @Test
  void readsRanges() {
    assertEquals(
        Optional.of(new ContentRange(5, 9, OptionalLong.of(10))),
        ContentRange.parse("bytes 5-9/10"));
    assertEquals(
        Optional.of(new ContentRange(5, 9, OptionalLong.empty())),
        ContentRange.parse("bytes 5-9/*"));
    assertEquals(Optional.empty(), ContentRange.parse("bytes */10"));
    assertEquals(Optional.empty(), ContentRange.parse("bytes 99999999999999999999-1/2"));
  }

  @Test
  void allowsPlainHttpExactlyWhereListed() {
    InsecureHosts listed = new InsecureHosts(Set.of("Lab:5000", "plain", "[::1]:5000"));
    assertTrue(listed.allows(URI.create("http://plain:80/x")));
    assertTrue(listed.allows(URI.create("https://anything/x")));
    assertFalse(listed.allows(URI.create("http://plain:8080/x")));
    assertFalse(listed.allows(URI.create("/x")));
  }
}
