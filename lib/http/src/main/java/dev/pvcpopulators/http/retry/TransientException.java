package dev.pvcpopulators.http.retry;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A failure that a retry may avoid: overload, or content that ended too early.
public final class TransientException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable Duration retryAfter;

  /// Without a wish of the server for a delay.
  public TransientException(String message) {
    this(message, Optional.empty());
  }

  /// @param retryAfter how long the server asks to wait
  public TransientException(String message, Optional<Duration> retryAfter) {
    super(message);
    this.retryAfter = retryAfter.orElse(null);
  }

  /// How long the server asks to wait.
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
