package dev.pvcpopulators.operator.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The progress of a running pod: the numbers of its status document. Nothing else is read, because
/// the document's author may be any user who runs a pod in the namespace.
///
/// @param totalBytes the bytes of the source; every number is -1 if it is unknown
public record Progress(
    long bytesIn,
    long bytesOut,
    long totalBytes,
    int percent,
    long bytesPerSecond,
    long remainingSeconds) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
  private static final int UNIT = 1024;
  private static final int WHOLE = 100;

  /// Parses the answer to `GET /volume/status`.
  ///
  /// @throws IOException if the answer is not a status document
  public static Progress read(byte[] document) throws IOException {
    JsonNode status = JSON.readTree(document);
    if (!status.path("bytesIn").isIntegralNumber()) {
      throw new IOException("Expected a status with bytesIn");
    }
    return new Progress(
        number(status, "bytesIn"),
        number(status, "bytesOut"),
        number(status, "totalBytes"),
        (int) Math.min(WHOLE, number(status, "percent")),
        number(status, "bytesPerSecond"),
        number(status, "etaSeconds"));
  }

  private static long number(JsonNode status, String field) {
    return Math.max(-1, status.path(field).asLong(-1));
  }

  /// Returns whether this progress differs from an earlier one in its percentage or, if the
  /// percentage is unknown, in its received bytes. Returns true if there is no earlier progress.
  public boolean moved(@Nullable Progress before) {
    return before == null
        || percent != before.percent
        || (percent < 0 && bytesIn != before.bytesIn);
  }

  /// Returns the percentage as text, or the received bytes if the percentage is unknown.
  public String text() {
    return percent >= 0 ? percent + "%" : size(bytesIn);
  }

  /// Returns a copy of the status with this progress.
  public DiskPopulationStatus onto(DiskPopulationStatus status) {
    return with(
        status,
        text(),
        percent >= 0 ? Integer.valueOf(percent) : null,
        this,
        bytesPerSecond < 0 ? null : size(bytesPerSecond) + "/s",
        remainingSeconds < 0 ? null : duration(remainingSeconds));
  }

  /// Returns the status of a population whose pod does not answer: the progress is `?`, and the
  /// byte counts stay.
  public static DiskPopulationStatus unknown(DiskPopulationStatus status) {
    return with(status, "?", null, null, null, null);
  }

  private static DiskPopulationStatus with(
      DiskPopulationStatus status,
      String text,
      @Nullable Integer percent,
      @Nullable Progress numbers,
      @Nullable String rate,
      @Nullable String remaining) {
    return new DiskPopulationStatus(
        status.phase(),
        status.message(),
        status.source(),
        text,
        percent,
        numbers == null ? status.bytesIn() : known(numbers.bytesIn),
        numbers == null ? status.bytesOut() : known(numbers.bytesOut),
        numbers == null ? status.totalBytes() : known(numbers.totalBytes),
        rate,
        remaining,
        status.sourceDigest(),
        status.virtualSize(),
        status.attempts(),
        status.node(),
        status.upload(),
        status.failure(),
        status.conditions());
  }

  private static @Nullable Long known(long number) {
    return number < 0 ? null : Long.valueOf(number);
  }

  /// Formats bytes: `812 B`, `1.5 MiB`.
  private static String size(long bytes) {
    double number = Math.max(0, bytes);
    int unit = 0;
    while (number >= UNIT && unit < UNITS.length - 1) {
      number /= UNIT;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", number, UNITS[unit]);
  }

  /// Formats a duration: `45s`, `3m20s`, `2h5m`.
  private static String duration(long seconds) {
    Duration time = Duration.ofSeconds(seconds);
    if (time.toHours() > 0) {
      return time.toHours() + "h" + time.toMinutesPart() + "m";
    }
    return time.toMinutes() > 0
        ? time.toMinutes() + "m" + time.toSecondsPart() + "s"
        : time.toSeconds() + "s";
  }
}
