package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.compression.ReadAheadStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/// A blob that is being pulled on a thread of its own.
final class PulledBlob implements Closeable {
  private final Watched watched;
  private final ReadAheadStream ahead;

  private PulledBlob(Watched watched) {
    this.watched = watched;
    this.ahead = ReadAheadStream.start(watched, "pull", watched);
  }

  /// Begins to read ahead.
  ///
  /// @param blob owned from now on; closing it ends a read that is going on
  static PulledBlob start(InputStream blob) {
    return new PulledBlob(new Watched(blob));
  }

  InputStream stream() {
    return ahead;
  }

  /// Whether the blob has come to its end, where its digest and size are verified.
  boolean complete() {
    return watched.ended;
  }

  @Override
  public void close() throws IOException {
    ahead.close();
  }

  /// Remembers that the end was reached: a decoder could stop before.
  private static final class Watched extends InputStream {
    private final InputStream blob;
    private volatile boolean ended;

    Watched(InputStream blob) {
      this.blob = blob;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = blob.read(target, offset, length);
      if (count < 0) {
        ended = true;
      }
      return count;
    }

    @Override
    public void close() throws IOException {
      blob.close();
    }
  }
}
