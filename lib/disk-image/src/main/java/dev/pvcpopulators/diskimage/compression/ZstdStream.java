package dev.pvcpopulators.diskimage.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.OptionalLong;

/// Decodes Zstandard frames (RFC 8878), including skippable frames.
///
/// libzstd's default limit for the windows of streams is 2^27 bytes. The Java binding has no method
/// to change the limit of a [ZstdDecompressCtx], so this class checks smaller limits itself.
final class ZstdStream extends BulkInputStream {
  private static final int INPUT_CAPACITY = 64 << 10;

  /// The size of the output buffer: the maximum size of a zstd block, so that libzstd decodes most
  /// blocks in one call.
  private static final int OUTPUT_CAPACITY = 128 << 10;

  private final SourceBuffer source;
  private final int largestWindow;
  private final ZstdDecompressCtx context;
  private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT_CAPACITY).limit(0);
  private final ByteBuffer output = ByteBuffer.allocateDirect(OUTPUT_CAPACITY).limit(0);
  private boolean betweenFrames = true;
  private boolean outputPending;
  private boolean closed;

  /// Creates a stream.
  ///
  /// @param source closed by [#close]
  /// @param largestWindow maximum window size in bytes
  ZstdStream(SourceBuffer source, int largestWindow) {
    ZstdLibrary.load();
    this.context = new ZstdDecompressCtx();
    this.source = source;
    this.largestWindow = largestWindow;
  }

  /// Returns whether libzstd refused a frame because its window is too large.
  static boolean windowTooLarge(ZstdException e) {
    // The sign of the code depends on the method of the binding that threw the exception.
    return Math.abs(e.getErrorCode()) == Zstd.errFrameParameterWindowTooLarge();
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (closed) {
      throw new IOException("The stream is closed");
    }
    while (!output.hasRemaining()) {
      if (!decode()) {
        return -1;
      }
    }
    int count = Math.min(length, output.remaining());
    output.get(target, offset, count);
    return count;
  }

  /// Calls libzstd once if there is input or if libzstd may hold more output. The call may decode
  /// no bytes.
  ///
  /// @return false if the source has ended between frames
  /// @throws EOFException if the source has ended inside a frame
  private boolean decode() throws IOException {
    if (!input.hasRemaining() && !outputPending && !refill()) {
      if (betweenFrames) {
        return false;
      }
      throw new EOFException();
    }
    if (betweenFrames && !outputPending) {
      requireWindow();
    }
    output.clear();
    int before = input.position();
    boolean frameEnds = context.decompressDirectByteBufferStream(output, input);
    // If the output is full, libzstd may hold more output: call libzstd again before reading more
    // of the source.
    outputPending = !frameEnds && !output.hasRemaining();
    betweenFrames = frameEnds || (betweenFrames && input.position() == before);
    output.flip();
    return true;
  }

  /// Checks the window size of the frame that begins at the position of `input`. If `input` has
  /// fewer bytes than the longest frame header, this method first reads more of the source.
  private void requireWindow() throws IOException {
    boolean more = true;
    while (more && input.remaining() < ZstdFrameHeader.MAX_LENGTH) {
      more = refill();
    }
    OptionalLong window = ZstdFrameHeader.window(input);
    if (window.isPresent() && window.getAsLong() > largestWindow) {
      throw new UnsupportedFeatureException(
          "zstd frame: expected a window of at most %s bytes, found one of %s"
              .formatted(largestWindow, window.getAsLong()));
    }
  }

  /// Appends bytes of the source to the remaining bytes of `input`.
  ///
  /// @return false if the source has ended
  private boolean refill() throws IOException {
    if (!source.fill()) {
      return false;
    }
    input.compact();
    int count = Math.min(source.remaining(), input.remaining());
    input.put(source.bytes(), source.position(), count).flip();
    source.consume(count);
    return true;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    context.close();
    source.close();
  }
}
