package dev.pvcpopulators.volume.client;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/// Where a service is, and how a client gets in.
///
/// @param service `https://HOST:PORT` without a path
/// @param trust which certificates are taken
/// @param limit the longest time for one answer, to which [VolumeClient#put] adds its own
public record Endpoint(URI service, Trust trust, Credentials credentials, Duration limit) {
  /// The limit of [#of].
  public static final Duration USUAL_LIMIT = Duration.ofSeconds(60);

  private static final Set<String> SCHEMES = Set.of("http", "https");

  /// Refuses what is not the address of a service.
  ///
  /// @throws IllegalArgumentException if the address has no host, another scheme than HTTP, a path,
  ///   a query, or a user
  public Endpoint {
    String scheme = service.getScheme();
    String path = service.getRawPath();
    if (scheme == null
        || !SCHEMES.contains(scheme.toLowerCase(Locale.ROOT))
        || service.getHost() == null
        || service.getRawUserInfo() != null
        || service.getRawQuery() != null
        || service.getRawFragment() != null
        || !(path == null || path.isEmpty() || path.equals("/"))) {
      throw new IllegalArgumentException(
          "Address of a service: expected http://HOST:PORT or https://HOST:PORT");
    }
    if (!limit.isPositive()) {
      throw new IllegalArgumentException("Limit of an answer: expected more than nothing");
    }
  }

  /// A service that wants no credentials and whose certificate the JDK trusts.
  public static Endpoint of(URI service) {
    return new Endpoint(service, new Trust.Usual(), new Credentials.None(), USUAL_LIMIT);
  }

  /// The same endpoint for a client that trusts only the authorities of this PEM file.
  public Endpoint trusting(Path pem) {
    return trusting(new Trust.SignedBy(pem));
  }

  /// The same endpoint for a client that takes these certificates.
  public Endpoint trusting(Trust taken) {
    return new Endpoint(service, taken, credentials, limit);
  }

  /// The same endpoint for a client with these credentials.
  public Endpoint with(Credentials shown) {
    return new Endpoint(service, trust, shown, limit);
  }

  /// The same endpoint with another limit for one answer.
  public Endpoint within(Duration longest) {
    return new Endpoint(service, trust, credentials, longest);
  }

  URI resolve(String path) {
    return service.resolve(path);
  }
}
