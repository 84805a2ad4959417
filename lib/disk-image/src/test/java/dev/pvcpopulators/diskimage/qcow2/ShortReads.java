package dev.pvcpopulators.diskimage.qcow2;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;

/// A source that returns a random number of bytes in each read, like a socket.
final class ShortReads extends FilterInputStream {
  private static final int MAX = 300_000;
  private final Random random;
  private boolean ended;

  ShortReads(InputStream in, Random random) {
    super(in);
    this.random = random;
  }

  /// Returns true if a read has reached the end of the stream.
  boolean ended() {
    return ended;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int most = random.nextInt(20) == 0 ? 1 + random.nextInt(9) : 1 + random.nextInt(MAX);
    int count = super.read(target, offset, Math.min(length, most));
    ended |= count < 0;
    return count;
  }
}
