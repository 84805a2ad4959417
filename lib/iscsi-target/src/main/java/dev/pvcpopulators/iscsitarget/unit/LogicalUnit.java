package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.medium.Medium;

/// A logical unit: its task set, reservations, mode pages and unit attentions, and the block device
/// that it shows.
@SuppressWarnings({"DoNotCallSuggester", "DoNotCall"}) // until it is written
public final class LogicalUnit implements AutoCloseable {
  /// @param medium owned from now on
  public LogicalUnit(Medium medium, UnitOptions options) {
    throw new UnsupportedOperationException();
  }

  public UnitOptions options() {
    throw new UnsupportedOperationException();
  }

  public Medium medium() {
    throw new UnsupportedOperationException();
  }

  /// Figures for those who watch.
  public UnitStatistics statistics() {
    throw new UnsupportedOperationException();
  }

  /// Ends all use for good: tasks in flight are aborted, later commands that touch the medium end
  /// with NOT READY, MEDIUM ERROR or what `reason` says; sessions stay.
  ///
  /// @param reason for logs
  public void fail(String reason) {
    throw new UnsupportedOperationException();
  }

  /// Aborts what runs, flushes and closes the medium.
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
