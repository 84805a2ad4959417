package dev.pvcpopulators.populate;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Parses a duration in kubectl's notation, such as `90s`, `10m` or `2h`. The number is from 1 to
/// 999,999. Refuses combinations such as `1m30s`.
final class DurationConverter implements ITypeConverter<Duration> {
  private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,5})([smh])");

  @Override
  public Duration convert(String value) {
    Matcher found = DURATION.matcher(value);
    if (!found.matches()) {
      throw new TypeConversionException("expected a duration such as 90s, 10m or 2h");
    }
    long count = Long.parseLong(found.group(1));
    return switch (found.group(2)) {
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      default -> Duration.ofHours(count);
    };
  }
}
