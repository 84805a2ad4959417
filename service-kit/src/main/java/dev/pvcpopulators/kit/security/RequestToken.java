package dev.pvcpopulators.kit.security;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The token of a request: the token in `Authorization: Bearer TOKEN` (RFC 6750, section 2.1), or
/// the value of [#FIELD]. Clients that reach a Service or a pod through the API server's proxy need
/// [#FIELD]: the proxy removes `Authorization`, because that field has the client's credentials for
/// the API server itself.
///
/// A field that occurs more than once counts as a field without a token. A request with both fields
/// is contradictory unless both have the same token. If a contradictory request were accepted, a
/// proxy and this service could attribute it to different clients, and a client could try two
/// tokens with one request.
///
/// @param token null if there is none
/// @param contradicts whether both fields are present, but do not have the same token; then `token`
///   is null
record RequestToken(@Nullable String token, boolean contradicts) {
  /// The field whose whole value is the token.
  static final String FIELD = "X-Populator-Token";

  private static final String SCHEME = "bearer ";

  /// Reads the token of a request.
  static RequestToken of(MultiMap headers) {
    List<String> standard = headers.getAll(HttpHeaders.AUTHORIZATION);
    List<String> own = headers.getAll(FIELD);
    String bearer = standard.size() == 1 ? bearer(standard.getFirst()) : null;
    String value = own.size() == 1 ? own.getFirst().strip() : null;
    if (standard.isEmpty() || own.isEmpty()) {
      return new RequestToken(own.isEmpty() ? bearer : value, false);
    }
    // Both tokens are from the client, so the time of this comparison reveals nothing.
    boolean same = bearer != null && Objects.equals(bearer, value);
    return new RequestToken(same ? bearer : null, !same);
  }

  private static @Nullable String bearer(String text) {
    return text.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? text.substring(SCHEME.length()).strip()
        : null;
  }
}
