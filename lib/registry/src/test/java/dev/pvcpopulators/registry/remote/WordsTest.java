package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What registries and operators write: challenges, ranges, waits, names of hosts.
class WordsTest {
  private static final InsecureHosts NONE = new InsecureHosts(Set.of());
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  // The example of the Docker registry token authentication specification.
  @Test
  void readsABearerChallenge() {
    assertEquals(
        List.of(
            new Challenge(
                "bearer",
                Map.of(
                    "realm", "https://auth.docker.io/token",
                    "service", "registry.docker.io",
                    "scope", "repository:samalba/my-app:pull,push"))),
        Challenge.parse(
            List.of(
                "Bearer realm=\"https://auth.docker.io/token\",service=\"registry.docker.io\","
                    + "scope=\"repository:samalba/my-app:pull,push\"")));
  }

  // RFC 9110 §11.6.1.
  @Test
  void readsSeveralChallengesOfOneHeader() {
    assertEquals(
        List.of(
            new Challenge("basic", Map.of("realm", "simple")),
            new Challenge(
                "newauth", Map.of("realm", "apps", "type", "1", "title", "Login to \"apps\""))),
        Challenge.parse(
            List.of(
                "Basic realm=\"simple\", Newauth realm=\"apps\", type=1,"
                    + " title=\"Login to \\\"apps\\\"\"")));
  }

  @Test
  void readsSeveralHeadersAndBareWords() {
    assertEquals(
        List.of(
            new Challenge("negotiate", Map.of()),
            new Challenge("negotiate", Map.of()),
            new Challenge("basic", Map.of("realm", "r", "charset", "UTF-8"))),
        Challenge.parse(
            List.of("Negotiate", "Negotiate YWJj/ZA==, BASIC Realm = r ,, charset=\"UTF-8\"")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",", "=", "\"", "realm=\"x\"", "Bearer =", "\\", "é", "a=b=c=\"d"})
  void survivesWhatIsNoChallenge(String header) {
    Challenge.parse(List.of(header)).forEach(it -> assertFalse(it.scheme().isEmpty()));
  }

  @Test
  @Timeout(1200)
  void readsALongRowOfPaddingInOneGo() {
    // With a look back from each of them, hours.
    Challenge.parse(List.of("a " + "=".repeat(4_000_000) + "x"));
  }

  @Test
  void boundsWhatItKeepsOfChallenges() {
    assertEquals(16, Challenge.parse(List.of("Basic,".repeat(10_000))).size());
    StringBuilder parameters = new StringBuilder("Bearer a=1");
    for (int index = 0; index < 1_000; index++) {
      parameters.append(",p").append(index).append("=1");
    }
    assertEquals(
        32, Challenge.parse(List.of(parameters.toString())).getFirst().parameters().size());
  }

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

  @ParameterizedTest
  @CsvSource({
    "docker.io,                    https://registry-1.docker.io/v2/n/manifests/t",
    "quay.io,                      https://quay.io/v2/n/manifests/t",
    "localhost:5000,               https://localhost:5000/v2/n/manifests/t",
    "[::1]:5000,                   https://[::1]:5000/v2/n/manifests/t",
    "mirror.example/hub/proxy,     https://mirror.example/v2/hub/proxy/n/manifests/t"
  })
  void knowsWhereARepositoryIs(String place, String url) {
    assertEquals(URI.create(url), Endpoint.of(place, "n", NONE).manifest("t"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "/x", "a b", "user@host", "host:port", "host/", "host//x", "h?q", "-"})
  void refusesWhatIsNoPlace(String place) {
    assertThrows(IllegalArgumentException.class, () -> Endpoint.of(place, "n", NONE));
    assertThrows(
        IllegalArgumentException.class,
        () -> RegistryOptions.defaults().withInsecureRegistries(Set.of(place)));
    assertThrows(
        IllegalArgumentException.class,
        () -> RegistryOptions.defaults().withMirrors(Map.of("quay.io", List.of(place))));
  }

  @Test
  void allowsPlainHttpExactlyWhereListed() {
    InsecureHosts listed = new InsecureHosts(Set.of("Lab:5000", "plain", "[::1]:5000"));
    assertEquals("http", Endpoint.of("lab:5000", "n", listed).scheme());
    assertEquals("http", Endpoint.of("[::1]:5000", "n", listed).scheme());
    assertEquals("http", Endpoint.of("plain", "n", listed).scheme());
    for (String other : List.of("lab", "lab:5001", "x.lab:5000", "plain:5000", "localhost:5000")) {
      assertEquals("https", Endpoint.of(other, "n", listed).scheme());
    }
    assertTrue(listed.allows(URI.create("http://plain:80/x")));
    assertTrue(listed.allows(URI.create("https://anything/x")));
    assertFalse(listed.allows(URI.create("http://plain:8080/x")));
    assertFalse(listed.allows(URI.create("/x")));
  }

  @Test
  void boundsItsOptions() {
    RegistryOptions options = RegistryOptions.defaults();
    assertEquals(0, options.withRetries(0).retries());
    assertEquals(100, options.withRetries(100).retries());
    assertThrows(IllegalArgumentException.class, () -> options.withRetries(-1));
    assertThrows(IllegalArgumentException.class, () -> options.withRetries(101));
    assertThrows(
        IllegalArgumentException.class, () -> options.withIdleTimeout(Duration.ofNanos(1)));
    assertThrows(
        IllegalArgumentException.class, () -> options.withConnectTimeout(Duration.ofDays(1)));
  }

  @Test
  void tellsNoCredential() {
    Credentials credentials = Credentials.none().withPassword("user", "s3cret");
    assertFalse(
        RegistryOptions.defaults().withCredentials(credentials).toString().contains("s3cret"));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Credentials(Optional.of("user"), Optional.empty(), List.of(), Map.of()));
  }
}
