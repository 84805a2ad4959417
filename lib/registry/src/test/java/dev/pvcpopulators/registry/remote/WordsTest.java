package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.http.InsecureHosts;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests the parsers of challenges, repository locations and options.
class WordsTest {
  private static final InsecureHosts NONE = new InsecureHosts(Set.of());

  // The example is from the Docker specification of token authentication.
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

  // The example is from RFC 9110, section 11.6.1.
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
  void survivesInvalidChallenges(String header) {
    Challenge.parse(List.of(header)).forEach(it -> assertFalse(it.scheme().isEmpty()));
  }

  @Test
  @Timeout(1200)
  void readsALongRowOfPaddingInOneGo() {
    // A parser that backtracks at each `=` would take hours.
    Challenge.parse(List.of("a " + "=".repeat(4_000_000) + "x"));
  }

  @Test
  void boundsStoredChallenges() {
    assertEquals(16, Challenge.parse(List.of("Basic,".repeat(10_000))).size());
    StringBuilder parameters = new StringBuilder("Bearer a=1");
    for (int index = 0; index < 1_000; index++) {
      parameters.append(",p").append(index).append("=1");
    }
    assertEquals(
        32, Challenge.parse(List.of(parameters.toString())).getFirst().parameters().size());
  }

  @ParameterizedTest
  @CsvSource({
    "docker.io,                    https://registry-1.docker.io/v2/n/manifests/t",
    "quay.io,                      https://quay.io/v2/n/manifests/t",
    "localhost:5000,               https://localhost:5000/v2/n/manifests/t",
    "[::1]:5000,                   https://[::1]:5000/v2/n/manifests/t",
    "mirror.example/hub/proxy,     https://mirror.example/v2/hub/proxy/n/manifests/t"
  })
  void findsARepository(String place, String url) {
    assertEquals(URI.create(url), Endpoint.of(place, "n", NONE).manifest("t"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "/x", "a b", "user@host", "host:port", "host/", "host//x", "h?q", "-"})
  void refusesInvalidPaths(String place) {
    assertThrows(IllegalArgumentException.class, () -> Endpoint.of(place, "n", NONE));
    assertThrows(
        IllegalArgumentException.class,
        () -> ChosenOptions.defaults().withInsecureRegistries(Set.of(place)));
    assertThrows(
        IllegalArgumentException.class,
        () -> ChosenOptions.defaults().withMirrors(Map.of("quay.io", List.of(place))));
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
  }

  @Test
  void boundsItsOptions() {
    ChosenOptions options = ChosenOptions.defaults();
    assertEquals(0, options.withRetries(0).options().retries());
    assertEquals(100, options.withRetries(100).options().retries());
    assertThrows(IllegalArgumentException.class, () -> options.withRetries(-1));
    assertThrows(IllegalArgumentException.class, () -> options.withRetries(101));
    assertThrows(
        IllegalArgumentException.class, () -> options.withIdleTimeout(Duration.ofNanos(1)));
    assertThrows(
        IllegalArgumentException.class, () -> options.withConnectTimeout(Duration.ofDays(1)));
  }

  @Test
  void tellsNoCredential() {
    Credentials credentials = GivenCredentials.password("user", "s3cret");
    assertFalse(
        ChosenOptions.defaults().withCredentials(credentials).toString().contains("s3cret"));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Credentials(Optional.of("user"), Optional.empty(), List.of(), Map.of()));
  }
}
