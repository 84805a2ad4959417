package dev.pvcpopulators.kit.web;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How long a client wants to wait for its answer: the preferences `respond-async` and `wait` (RFC
/// 7240, sections 4.1 and 4.3). Other preferences are ignored, as the RFC requires.
///
/// @param patience how long to wait before `202 Accepted`; empty to wait without a limit
record Preference(Optional<Duration> patience) {
  private static final int MAX_SECONDS = 86_400;
  private static final Pattern WAIT = Pattern.compile("wait\\s*=\\s*\"?([0-9]{1,9})\"?");

  /// Reads all the `Prefer` header fields of a request.
  static Preference of(List<String> fields) {
    Optional<Duration> patience = Optional.empty();
    boolean async = false;
    for (String field : fields) {
      for (String preference : field.split(",", -1)) {
        String name = preference.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        Matcher wait = WAIT.matcher(name);
        if (wait.matches() && patience.isEmpty()) {
          int seconds = Math.min(Integer.parseInt(wait.group(1)), MAX_SECONDS);
          patience = Optional.of(Duration.ofSeconds(seconds));
        }
        async |= name.equals("respond-async");
      }
    }
    return new Preference(patience.isEmpty() && async ? Optional.of(Duration.ZERO) : patience);
  }
}
