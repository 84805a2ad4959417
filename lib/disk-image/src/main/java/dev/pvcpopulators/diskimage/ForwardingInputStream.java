package dev.pvcpopulators.diskimage;

import java.io.IOException;
import java.io.InputStream;

/// A stream that reads from another stream and owns that stream. All bytes pass through
/// [#read(byte[], int, int)], unlike in a [java.io.FilterInputStream].
public abstract class ForwardingInputStream extends BulkInputStream {
  protected final InputStream in;

  /// Creates a stream.
  ///
  /// @param in the other stream, which this stream owns from now on
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
