package dev.pvcpopulators.diskimage;

import java.io.IOException;
import java.io.InputStream;

/// A stream over another one, which it owns. Unlike [java.io.FilterInputStream], all its bytes pass
/// through [#read(byte[], int, int)].
public abstract class ForwardingInputStream extends BulkInputStream {
  protected final InputStream in;

  /// Creates a stream.
  ///
  /// @param in owned by this stream from now on
  protected ForwardingInputStream(InputStream in) {
    this.in = in;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    return in.read(target, offset, length);
  }

  @Override
  public int available() throws IOException {
    return in.available();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
