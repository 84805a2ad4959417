package dev.pvcpopulators.registry.remote;

import static dev.pvcpopulators.fuzz.Refusal.ensure;

import dev.pvcpopulators.fuzz.Refusal;
import dev.pvcpopulators.http.Backoff;
import dev.pvcpopulators.http.InsecureHosts;
import dev.pvcpopulators.http.retry.ContentRange;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.MediaTypes;
import dev.pvcpopulators.registry.SourceReference;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Fuzzes header fields from registries, and the URLs that are built from an image reference.
public final class RegistryWords {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final int MOST_CHALLENGES = 16;
  private static final int MOST_PARAMETERS = 32;
  private static final Digest DIGEST = Digest.of(Digest.Algorithm.SHA256, new byte[0]);

  private RegistryWords() {}

  /// Parses each value as a `Content-Range`, as a `Retry-After` and as a media type. Parses all
  /// values together as challenges.
  public static void check(List<String> values) {
    for (String value : values) {
      ContentRange.parse(value)
          .ifPresent(range -> {
            ensure(range.start() >= 0 && range.last() >= 0, "A negative offset: " + value);
            ensure(ContentRange.parse(written(range)).filter(range::equals).isPresent(), value);
          });
      Backoff.asked(value, NOW)
          .ifPresent(asked ->
              ensure(!asked.isNegative() && asked.compareTo(LONGEST) <= 0, "Waits " + asked));
      String bare = MediaTypes.bare(value);
      ensure(MediaTypes.bare(bare).equals(bare), "Not bare: " + bare);
      ensure(!MediaTypes.manifest(value) || !MediaTypes.index(value), "Both: " + value);
    }
    challenges(values);
  }

  private static String written(ContentRange range) {
    String total = range.total().isPresent() ? Long.toString(range.total().getAsLong()) : "*";
    return "bytes " + range.start() + "-" + range.last() + "/" + total;
  }

  private static void challenges(List<String> values) {
    List<Challenge> challenges = Challenge.parse(values);
    ensure(challenges.size() <= MOST_CHALLENGES, "More challenges than are taken");
    for (Challenge challenge : challenges) {
      String scheme = challenge.scheme();
      ensure(!scheme.isEmpty() && scheme.equals(scheme.toLowerCase(Locale.ROOT)), scheme);
      ensure(challenge.parameters().size() <= MOST_PARAMETERS, "More parameters than are taken");
    }
    String written =
        challenges.stream().map(RegistryWords::written).collect(Collectors.joining(", "));
    List<Challenge> again = Challenge.parse(List.of(written));
    ensure(again.equals(challenges), challenges + " is read as " + again);
  }

  /// Formats a challenge as in RFC 9110, section 11.6.1, with all values in quotes.
  private static String written(Challenge challenge) {
    return challenge.parameters().entrySet().stream()
        .map(parameter -> parameter.getKey() + "=" + quoted(parameter))
        .collect(Collectors.joining(", ", challenge.scheme() + " ", ""));
  }

  private static String quoted(Map.Entry<String, String> parameter) {
    return '"' + parameter.getValue().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /// Checks that the URLs of manifests and blobs are below the host and the repository of a
  /// reference.
  public static void checkPlaces(SourceReference.Remote reference) {
    Endpoint endpoint;
    try {
      endpoint =
          Endpoint.of(
              reference.registry(), reference.repository(), new InsecureHosts(Set.of("plain:80")));
    } catch (IllegalArgumentException e) {
      Refusal.check(e);
      return;
    }
    checkPlace(
        endpoint.manifest(reference.qualifier()), endpoint, "/manifests/" + reference.qualifier());
    checkPlace(endpoint.blob(DIGEST), endpoint, "/blobs/" + DIGEST);
  }

  private static void checkPlace(URI place, Endpoint endpoint, String below) {
    boolean plain = endpoint.authority().equalsIgnoreCase("plain");
    ensure(plain || "https".equals(place.getScheme()), "Without TLS: " + place);
    ensure(endpoint.authority().equals(place.getRawAuthority()), "Elsewhere: " + place);
    ensure(place.getRawUserInfo() == null, "A URL with user information: " + place);
    ensure(place.getRawQuery() == null && place.getRawFragment() == null, "More: " + place);
    ensure(("/v2/" + endpoint.name() + below).equals(place.getRawPath()), "Not there: " + place);
    ensure(place.normalize().equals(place), "By a detour: " + place);
  }
}
