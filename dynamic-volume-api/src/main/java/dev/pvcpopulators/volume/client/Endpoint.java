package dev.pvcpopulators.volume.client;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/// The address of a service, with the options of a client's connections to this service.
///
/// @param service `https://HOST:PORT` or `http://HOST:PORT`, without a path
/// @param trust the certificates that the client accepts
/// @param credentials the credentials that the client sends
/// @param limit the maximum time for one answer. [VolumeClient#put] and [VolumeClient#delete] add
///   their waiting times to this limit. For a status stream, the limit is the maximum time until
///   the stream begins
public record Endpoint(URI service, Trust trust, Credentials credentials, Duration limit) {
  /// The time limit of an endpoint that [#of] returns.
  public static final Duration USUAL_LIMIT = Duration.ofSeconds(60);

  private static final Set<String> SCHEMES = Set.of("http", "https");

  /// Refuses invalid addresses and time limits.
  ///
  /// @throws IllegalArgumentException if the scheme of the address is neither HTTP nor HTTPS; if
  ///   the address has no host; if the address has a user, a query, a fragment, or a path other
  ///   than `/`; or if the limit is not positive
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
      throw new IllegalArgumentException("Limit of an answer: expected more than 0");
    }
  }

  /// Returns the endpoint of a service that requires no credentials and has a certificate that the
  /// JDK trusts.
  public static Endpoint of(URI service) {
    return new Endpoint(service, new Trust.Usual(), new Credentials.None(), USUAL_LIMIT);
  }

  /// Returns a copy of this endpoint that trusts only the certification authorities in a PEM file.
  public Endpoint trusting(Path pem) {
    return trusting(new Trust.SignedBy(pem));
  }

  /// Returns a copy of this endpoint with another rule for certificates.
  public Endpoint trusting(Trust taken) {
    return new Endpoint(service, taken, credentials, limit);
  }

  /// Returns a copy of this endpoint with other credentials.
  public Endpoint with(Credentials shown) {
    return new Endpoint(service, trust, shown, limit);
  }

  /// Returns a copy of this endpoint with another time limit for one answer.
  public Endpoint within(Duration longest) {
    return new Endpoint(service, trust, credentials, longest);
  }

  URI resolve(String path) {
    return service.resolve(path);
  }
}
