package dev.pvcpopulators.http.retry;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A failure after which a retry may succeed: overload, or content that ended too early.
public final class TransientException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable Duration retryAfter;

  /// Creates the exception for a server that asks for no delay.
  public TransientException(String message) {
    this(message, Optional.empty());
  }

  /// Creates the exception.
  ///
  /// @param retryAfter the delay that the server asks for; empty if it asks for no delay
  public TransientException(String message, Optional<Duration> retryAfter) {
    super(message);
    this.retryAfter = retryAfter.orElse(null);
  }

  /// Returns the delay that the server asks for.
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
