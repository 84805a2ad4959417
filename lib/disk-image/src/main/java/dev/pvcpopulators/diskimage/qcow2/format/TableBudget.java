package dev.pvcpopulators.diskimage.qcow2.format;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;

/// The common memory limit for the L1 tables of all files of a stack.
public final class TableBudget {
  private final long length;
  private long taken;

  /// Creates a budget.
  ///
  /// @param length the limit in bytes
  public TableBudget(long length) {
    this.length = length;
  }

  /// Takes memory from the budget.
  ///
  /// @throws UnsupportedFeatureException if the budget is exceeded
  void take(int bytes) throws UnsupportedFeatureException {
    taken += bytes;
    if (taken > length) {
      throw new UnsupportedFeatureException(
          "The L1 tables of the stack need more than " + length + " bytes of memory");
    }
  }
}
