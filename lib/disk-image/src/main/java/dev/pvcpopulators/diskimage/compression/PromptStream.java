package dev.pvcpopulators.diskimage.compression;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/// A decoder that would wait for its source until the whole target is full, made to give what it
/// has when the source pauses: it is asked for small pieces, and for another only while compressed
/// bytes are at hand. Up to a piece can still be held back.
final class PromptStream extends InputStream {
  private static final int PIECE = 4096;

  private final InputStream decoder;
  private final SourceBuffer source;

  /// @param decoder owned; reads from the source
  PromptStream(InputStream decoder, SourceBuffer source) {
    this.decoder = decoder;
    this.source = source;
  }

  @Override
  public int read() throws IOException {
    return decoder.read();
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    int count = decoder.read(target, offset, Math.min(length, PIECE));
    int total = count;
    while (count > 0 && total < length && source.atHand()) {
      count = decoder.read(target, offset + total, Math.min(length - total, PIECE));
      total += Math.max(count, 0);
    }
    return total;
  }

  @Override
  public void close() throws IOException {
    decoder.close();
  }
}
