package dev.pvcpopulators.volume.security;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Decides about a request by its bearer token.
interface Access {
  /// What is decided.
  enum Decision {
    /// The request goes on.
    ALLOWED,
    /// The token is missing or wrong (401).
    UNAUTHENTICATED,
    /// The token says itself that its time is over (401). It may have been right.
    EXPIRED,
    /// The token is right, its owner is not (403).
    FORBIDDEN,
    /// Who decides cannot be reached (503).
    UNDECIDED
  }

  /// Decides, at once or later; never completes exceptionally.
  ///
  /// @param token what stands behind `Bearer`; null where nothing does
  /// @param address of the client, as [ClientAddress] has it; a limit holds for each
  CompletionStage<Decision> decide(@Nullable String token, String address);
}
