package dev.pvcpopulators.kit.security;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Decides whether a request has access, by its bearer token.
interface Access {
  /// The decision.
  enum Decision {
    /// The request may continue.
    ALLOWED,
    /// The token is missing or wrong (401).
    UNAUTHENTICATED,
    /// The token itself states that it has expired (401). The token may have been right until then.
    EXPIRED,
    /// The token is right, but its owner is not allowed (403).
    FORBIDDEN,
    /// The address has tried too many wrong tokens, so this token was not examined (429).
    LIMITED,
    /// The authority that decides cannot be reached, or has to decide about too many tokens (503).
    UNDECIDED
  }

  /// Returns the decision. The stage completes at once or later, and never exceptionally.
  ///
  /// @param token the token of [RequestToken]; null if there is none
  /// @param address the client's key, as [ClientAddress] defines it. The limit of wrong tokens and
  ///   the limit of concurrent reviews apply to each key separately
  CompletionStage<Decision> decide(@Nullable String token, String address);
}
