package dev.pvcpopulators.kit.settings;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.volume.Notation;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// The claims of a JSON Web Token (RFC 7519). The signature is not verified here, because the
/// claims serve to refuse a token early, never to accept one.
///
/// @param audiences the claim `aud`; empty if there is none
/// @param expiry the claim `exp`
public record TokenClaims(Set<String> audiences, Instant expiry) {
  private static final int PARTS = 3;

  public TokenClaims {
    audiences = Set.copyOf(audiences);
  }

  /// Reads the claims of a signed token in the compact form (RFC 7515, section 3.1).
  ///
  /// @return empty if the text is not a signed token in the compact form, or has no valid claim
  ///   `exp`
  public static Optional<TokenClaims> of(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != PARTS || parts[2].isEmpty()) {
      return Optional.empty();
    }
    try {
      JsonNode header = part(parts[0]);
      JsonNode claims = part(parts[1]);
      var _ = Base64.getUrlDecoder().decode(parts[2]);
      if (!header.path("alg").isTextual() || !claims.path("exp").isNumber()) {
        return Optional.empty();
      }
      return Optional.of(
          new TokenClaims(
              audiences(claims.path("aud")), Instant.ofEpochSecond(claims.path("exp").asLong())));
    } catch (IOException | IllegalArgumentException | DateTimeException _) {
      return Optional.empty();
    }
  }

  private static JsonNode part(String encoded) throws IOException {
    return Notation.JSON.read(Base64.getUrlDecoder().decode(encoded));
  }

  /// Reads the audiences: one text or an array of texts (RFC 7519, section 4.1.3).
  private static Set<String> audiences(JsonNode claim) {
    Set<String> audiences = new HashSet<>();
    if (claim.isTextual()) {
      audiences.add(claim.asText());
    }
    claim.forEach(element -> audiences.add(element.asText()));
    return audiences;
  }
}
