package dev.pvcpopulators.registry.remote;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An attempt failed in a way that another may not: overload, or content that broke off.
final class TransientException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable Duration retryAfter;

  TransientException(String message) {
    this(message, Optional.empty());
  }

  /// @param retryAfter how long the server asks to wait
  TransientException(String message, Optional<Duration> retryAfter) {
    super(message);
    this.retryAfter = retryAfter.orElse(null);
  }

  Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
