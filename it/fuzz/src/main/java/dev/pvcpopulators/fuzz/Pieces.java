package dev.pvcpopulators.fuzz;

import java.io.ByteArrayInputStream;

/// Bytes as they arrive over a network: so many in a read, and what has not arrived is not
/// available.
public final class Pieces extends ByteArrayInputStream {
  private final int most;

  /// @param most bytes that one read gives, at least 1
  public Pieces(byte[] bytes, int most) {
    super(bytes);
    this.most = most;
  }

  @Override
  public synchronized int read(byte[] target, int offset, int length) {
    return super.read(target, offset, Math.min(length, most));
  }

  @Override
  public synchronized int available() {
    return Math.min(super.available(), most) / 2;
  }
}
