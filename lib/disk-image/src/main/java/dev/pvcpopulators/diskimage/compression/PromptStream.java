package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.ForwardingInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/// Returns decoded bytes even while the source pauses. The decoder blocks until its whole target is
/// full, so this class reads pieces of at most 16 KiB from the decoder. During a pause, the decoder
/// holds back less than one piece.
final class PromptStream extends ForwardingInputStream {
  private static final int PIECE = 16 << 10;

  /// Creates a stream.
  ///
  /// @param decoder owned by this stream
  PromptStream(InputStream decoder) {
    super(decoder);
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    return in.read(target, offset, Math.min(length, PIECE));
  }
}
