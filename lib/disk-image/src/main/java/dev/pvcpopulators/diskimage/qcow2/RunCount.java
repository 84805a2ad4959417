package dev.pvcpopulators.diskimage.qcow2;

/// Counts the runs of a table that cannot be placed at once; also sees to it that nothing is
/// claimed for a table with a broken entry.
final class RunCount implements L2Table.Visitor {
  private final long reach;
  private final long boundary;
  private int missed;
  private int ahead;

  /// @param reach host offset of the oldest byte that can still be had
  /// @param boundary host offset before which everything has passed
  RunCount(long reach, long boundary) {
    this.reach = reach;
    this.boundary = boundary;
  }

  @Override
  public void allocated(long host) {
    // Claimed when the table is followed.
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
  public void zeros(long guest, long length) {
    // Told when the table is followed.
  }

  @Override
  public void compressed(long host, long guest, int length) {
    if (host + length > boundary) {
      ahead++;
    } else if (host < reach) {
      missed++;
    }
  }

  /// Runs that have passed and left the window.
  int missed() {
    return missed;
  }

  int ahead() {
    return ahead;
  }
}
