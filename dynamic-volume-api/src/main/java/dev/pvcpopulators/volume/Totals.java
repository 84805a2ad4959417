package dev.pvcpopulators.volume;

/// What has moved since the service started, over all creations.
///
/// @param bytesIn bytes that came from sources, also those that were dropped and came again
/// @param bytesOut bytes that went to the volume
public record Totals(long bytesIn, long bytesOut) {
  static final Totals NONE = new Totals(0, 0);

  Totals plus(Progress progress) {
    return new Totals(bytesIn + progress.everReceived(), bytesOut + progress.bytesOut());
  }
}
