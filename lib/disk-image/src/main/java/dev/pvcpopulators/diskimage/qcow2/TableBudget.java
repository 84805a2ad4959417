package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;

/// What the L1 tables of a stack may take of the memory, all together.
final class TableBudget {
  private final long length;
  private long taken;

  /// @param length bytes
  TableBudget(long length) {
    this.length = length;
  }

  /// @throws UnsupportedFeatureException where there is not so much left
  void take(int bytes) throws UnsupportedFeatureException {
    taken += bytes;
    if (taken > length) {
      throw new UnsupportedFeatureException(
          "The L1 tables of the stack need more than " + length + " bytes of memory");
    }
  }
}
