package dev.pvcpopulators.kit.lifecycle;

/// The bytes moved since the service started, over all creations.
///
/// @param bytesIn bytes received from sources, including bytes that were dropped and received again
/// @param bytesOut bytes of decoded data that were passed to the volume
public record Totals(long bytesIn, long bytesOut) {
  static final Totals NONE = new Totals(0, 0);

  Totals plus(Progress progress) {
    return new Totals(bytesIn + progress.everReceived(), bytesOut + progress.bytesOut());
  }
}
