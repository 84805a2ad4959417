package dev.pvcpopulators.fuzz;

import java.io.ByteArrayInputStream;

/// A stream that behaves like a network connection. Each read returns a limited number of bytes.
/// `available` returns at most half of this limit.
public final class Pieces extends ByteArrayInputStream {
  private final int most;

  /// Creates a stream.
  ///
  /// @param most the maximum number of bytes that one read returns, at least 1
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
