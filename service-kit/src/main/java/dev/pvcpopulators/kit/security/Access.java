package dev.pvcpopulators.kit.security;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Decides whether a request has access, by its bearer token.
interface Access {
  /// The decision about a request.
  enum Decision {
    /// The request may continue.
    ALLOWED,
    /// The token is missing or wrong (401).
    UNAUTHENTICATED,
    /// The token has expired according to its claim `exp`, with a tolerance for a difference
    /// between the clocks of this host and of the issuer (401). The token may have been right
    /// before its expiry.
    EXPIRED,
    /// The token is right, but its owner is not permitted to use this service (403).
    FORBIDDEN,
    /// The client's address has tried too many wrong tokens, so this token was not examined (429).
    LIMITED,
    /// The API server cannot be reached or answers with an error, or too many TokenReview requests
    /// to the API server are in progress (503).
    UNDECIDED
  }

  /// Returns the decision. The returned stage may be complete already, and never completes
  /// exceptionally.
  ///
  /// @param token the token of [RequestToken]; null if there is none
  /// @param address the key of the client's address, as [ClientAddress] defines it; addresses with
  ///   the same key count as one address in every limit
  CompletionStage<Decision> decide(@Nullable String token, String address);
}
