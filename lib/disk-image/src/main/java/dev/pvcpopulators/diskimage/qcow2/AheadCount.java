package dev.pvcpopulators.diskimage.qcow2;

/// Counts the runs that a table would add to the pending ones; also sees to it that nothing is
/// claimed for a table with a broken entry.
final class AheadCount implements L2Table.Visitor {
  private final long boundary;
  private int runs;

  AheadCount(long boundary) {
    this.boundary = boundary;
  }

  @Override
  public void allocated(long host) {
    // Claimed when the table is followed.
  }

  @Override
  public void data(long host, long guest, long length) {
    if (host >= boundary) {
      runs++;
    }
  }

  @Override
  public void compressed(long host, long guest, int length) {
    if (host + length > boundary) {
      runs++;
    }
  }

  int runs() {
    return runs;
  }
}
