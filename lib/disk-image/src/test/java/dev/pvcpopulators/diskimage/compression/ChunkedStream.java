package dev.pvcpopulators.diskimage.compression;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Random;

/// Bytes that arrive in chunks of random length, as from a network.
final class ChunkedStream extends InputStream {
  private final ByteArrayInputStream bytes;
  private final Random random;
  private final int longest;

  ChunkedStream(byte[] bytes, Random random, int longest) {
    this.bytes = new ByteArrayInputStream(bytes);
    this.random = random;
    this.longest = longest;
  }

  @Override
  public int read() {
    return bytes.read();
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    return bytes.read(target, offset, Math.min(length, 1 + random.nextInt(longest)));
  }
}
