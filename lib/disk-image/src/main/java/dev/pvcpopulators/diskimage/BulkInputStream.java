package dev.pvcpopulators.diskimage;

import java.io.IOException;
import java.io.InputStream;

/// An input stream whose subclasses implement only [#read(byte[], int, int)]; reading a single byte
/// uses an array of length one.
public abstract class BulkInputStream extends InputStream {
  @Override
  public final int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public abstract int read(byte[] target, int offset, int length) throws IOException;
}
