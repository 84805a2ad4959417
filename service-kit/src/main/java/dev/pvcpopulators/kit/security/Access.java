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
    /// The token has expired according to its own content, with a tolerance for a difference
    /// between the clocks (401). The token may have been right before its expiry.
    EXPIRED,
    /// The token is right, but its owner is not permitted to use this service (403).
    FORBIDDEN,
    /// The address has tried too many wrong tokens, so this token was not examined (429).
    LIMITED,
    /// The API server cannot be reached or answers with an error, or too many reviews run (503).
    UNDECIDED
  }

  /// Returns the decision. The stage completes at once or later, and never exceptionally.
  ///
  /// @param token the token of [RequestToken]; null if there is none
  /// @param address the client's key, as [ClientAddress] defines it. Each limit for one address is
  ///   a limit for one key
  CompletionStage<Decision> decide(@Nullable String token, String address);
}
