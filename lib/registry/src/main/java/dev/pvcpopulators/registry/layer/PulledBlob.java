package dev.pvcpopulators.registry.layer;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.compression.ReadAheadStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// A blob that is being pulled on a thread of its own.
public final class PulledBlob implements Closeable {
  private static final int REST_LENGTH = 64 << 10;

  private final Watched watched;
  private final ReadAheadStream ahead;

  private PulledBlob(Watched watched) {
    this.watched = watched;
    this.ahead = ReadAheadStream.start(watched, "pull", watched);
  }

  /// Begins to read ahead.
  ///
  /// @param blob owned from now on; closing it ends a read that is going on
  public static PulledBlob start(InputStream blob) {
    return new PulledBlob(new Watched(blob));
  }

  /// Its bytes, as they come.
  public InputStream stream() {
    return ahead;
  }

  /// As [#stream], for a decoder: if it fails, it closes what it reads, and the rest of the blob is
  /// to be read then. Closing the stream leaves the transfer to [#close].
  public InputStream content() {
    return new Content(ahead);
  }

  /// Returns whether the blob has come to its end, where its digest and size are verified.
  public boolean complete() {
    return watched.ended;
  }

  /// Ends the transfer, also while another thread reads. The thread that pulls is interrupted, and
  /// where that happens in the middle of a file, the JDK closes it for all who read it.
  @Override
  public void close() throws IOException {
    ahead.close();
  }

  /// Lets the next read from the blob fail; what has come stays to be read.
  void end() throws IOException {
    watched.close();
  }

  /// Ends the transfer if others go on reading from the same place; by the reader itself.
  void drop() throws IOException {
    end();
    byte[] rest = new byte[REST_LENGTH];
    try {
      while (ahead.read(rest) >= 0) {
        // Room for the thread, which then finds its blob closed.
      }
    } catch (IOException _) {
      // The blob is closed, which is what was wanted.
    }
    ahead.close();
  }

  /// Is not closed by its reader.
  private static final class Content extends FilterInputStream {
    Content(InputStream ahead) {
      super(ahead);
    }

    @Override
    public long transferTo(OutputStream out) throws IOException {
      return in.transferTo(out);
    }

    @Override
    public void close() {}
  }

  /// Remembers that the end was reached: a decoder could stop before.
  private static final class Watched extends BulkInputStream {
    private final InputStream blob;
    private volatile boolean ended;

    Watched(InputStream blob) {
      this.blob = blob;
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
