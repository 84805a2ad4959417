package dev.pvcpopulators.diskimage;

import java.io.IOException;
import java.io.InputStream;

/// A stream that is defined by [#read(byte[], int, int)]; a single byte is read by an array of one.
public abstract class BulkInputStream extends InputStream {
  @Override
  public final int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public abstract int read(byte[] target, int offset, int length) throws IOException;
}
