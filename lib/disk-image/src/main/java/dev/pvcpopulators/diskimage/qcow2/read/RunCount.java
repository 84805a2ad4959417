package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.qcow2.format.L2Table;

/// Counts those runs of one L2 table whose bytes cannot be written to the disk immediately: runs of
/// standard clusters that begin at or after `boundary`, compressed extents that end after
/// `boundary`, and runs whose first bytes are no longer available. The runs are counted before any
/// cluster that the table names gets an owner in [HostClaims]. If an entry of the table is invalid,
/// none of these clusters gets an owner.
final class RunCount implements L2Table.Visitor {
  private final long reach;
  private final long boundary;
  private int missed;
  private int ahead;

  /// Creates a counter.
  ///
  /// @param reach host offset of the oldest byte that is still available
  /// @param boundary host offset up to which all bytes have been read
  RunCount(long reach, long boundary) {
    this.reach = reach;
    this.boundary = boundary;
  }

  @Override
  public void data(long host, long guest, long length) {
    if (host >= boundary) {
      ahead++;
    } else if (host < reach) {
      missed++;
    }
  }

  @Override
  public void compressed(long host, long guest, int length) {
    if (host + length > boundary) {
      ahead++;
    } else if (host < reach) {
      missed++;
    }
  }

  /// Returns the number of runs that have arrived, but whose first bytes are no longer available.
  int missed() {
    return missed;
  }

  int ahead() {
    return ahead;
  }
}
