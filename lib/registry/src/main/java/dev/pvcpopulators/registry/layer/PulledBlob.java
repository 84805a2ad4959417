package dev.pvcpopulators.registry.layer;

import dev.pvcpopulators.diskimage.ForwardingInputStream;
import dev.pvcpopulators.diskimage.compression.ReadAheadStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// A blob that is pulled on a separate thread.
public final class PulledBlob implements Closeable {
  private static final int REST_LENGTH = 64 << 10;

  private final Watched watched;
  private final ReadAheadStream ahead;

  private PulledBlob(Watched watched) {
    this.watched = watched;
    this.ahead = ReadAheadStream.start(watched, "pull", watched);
  }

  /// Starts reading ahead.
  ///
  /// @param blob the stream of the blob; owned by this object from now on. Closing the stream must
  ///   end a running read
  public static PulledBlob start(InputStream blob) {
    return new PulledBlob(new Watched(blob));
  }

  /// Returns the blob's bytes as they arrive.
  public InputStream stream() {
    return ahead;
  }

  /// Returns the same bytes as [#stream], for a decoder. A decoder that fails closes its source,
  /// but the rest of the blob must still be read, because the digest is compared at the blob's end.
  /// Therefore closing this stream does not end the transfer; [#close] ends the transfer.
  public InputStream content() {
    return new Content(ahead);
  }

  /// Returns whether the blob has been read to its end, where its digest and size are verified.
  public boolean complete() {
    return watched.ended;
  }

  /// Ends the transfer, even while another thread reads. Interrupts the pulling thread. If the
  /// pulling thread is reading a file at that time, the JDK closes the file's channel for all
  /// readers of the file.
  @Override
  public void close() throws IOException {
    ahead.close();
  }

  /// Closes the blob's stream. The pulling thread's next read then fails; bytes that have already
  /// arrived can still be read.
  void end() throws IOException {
    watched.close();
  }

  /// Ends the transfer. Does not interrupt a read, because an interrupt during the read of a file
  /// closes the file's channel for all readers of the file. Must be called by the thread that reads
  /// [#stream].
  void drop() throws IOException {
    end();
    drain(ahead);
    ahead.close();
  }

  /// Reads a stream to its end, or until it fails.
  static void drain(InputStream stream) {
    byte[] rest = new byte[REST_LENGTH];
    try {
      while (stream.read(rest) >= 0) {
        // Each read frees buffer space, so that the pulling thread continues and finds that its
        // blob is closed.
      }
    } catch (IOException _) {
      // The blob is closed, as intended.
    }
  }

  /// A stream that stays open when its reader closes it.
  private static final class Content extends ForwardingInputStream {
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

  /// Records whether the blob was read to its end, because a decoder may stop before the end.
  private static final class Watched extends ForwardingInputStream {
    private volatile boolean ended;

    Watched(InputStream blob) {
      super(blob);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = in.read(target, offset, length);
      if (count < 0) {
        ended = true;
      }
      return count;
    }
  }
}
