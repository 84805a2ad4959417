package dev.pvcpopulators.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/// The delay before a retry: exponential backoff with full jitter, so that many clients of one
/// server do not retry at the same moment.
///
/// @param first the longest delay after the first failure; each further failure doubles this value
/// @param longest the upper bound of each delay that [#delay] returns
public record Backoff(Duration first, Duration longest) {
  /// A delay of at most 0.5 s after the first failure, and never more than 30 s.
  public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30));

  private static final Duration LONGEST_ASKED = Duration.ofSeconds(60);
  private static final int MAX_DOUBLINGS = 20;
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,18}");

  /// Returns a random delay.
  ///
  /// @param failures number of consecutive failures so far, at least 1
  public Duration delay(int failures) {
    long most = first.toMillis() << Math.min(failures - 1, MAX_DOUBLINGS);
    return Duration.ofMillis(
        ThreadLocalRandom.current().nextLong(Math.min(most, longest.toMillis()) + 1));
  }

  /// Parses the value of `Retry-After` (RFC 9110 §10.2.3), and returns the delay, at most 60 s.
  ///
  /// @return the delay, 0 for a date in the past; empty if the value is neither a number of seconds
  ///   with at most 18 digits nor a date in the format of RFC 1123
  public static Optional<Duration> asked(String retryAfter, Instant now) {
    String text = retryAfter.strip();
    if (SECONDS.matcher(text).matches()) {
      return Optional.of(bounded(Duration.ofSeconds(Long.parseLong(text))));
    }
    try {
      ZonedDateTime until = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME);
      return Optional.of(bounded(Duration.between(now, until.toInstant())));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  private static Duration bounded(Duration asked) {
    if (asked.isNegative()) {
      return Duration.ZERO;
    }
    return asked.compareTo(LONGEST_ASKED) > 0 ? LONGEST_ASKED : asked;
  }
}
