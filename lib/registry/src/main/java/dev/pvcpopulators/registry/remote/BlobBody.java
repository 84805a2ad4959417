package dev.pvcpopulators.registry.remote;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/// The body of one answer with a blob, or with its rest.
final class BlobBody implements Closeable {
  private static final int SKIP_LENGTH = 64 << 10;

  private final Answer answer;
  private final InputStream stream;
  private final boolean partial;
  private long superfluous;

  /// @param superfluous bytes at the beginning that the reader has already
  /// @param partial whether the server chose how much of the blob this is
  BlobBody(Answer answer, long superfluous, boolean partial) throws IOException {
    this.answer = answer;
    this.superfluous = superfluous;
    this.partial = partial;
    stream = answer.body();
  }

  /// Gives -1 at the end of the body, which need not be the blob's.
  int read(byte[] target, int offset, int length) throws IOException {
    if (superfluous > 0) {
      byte[] skipped = new byte[SKIP_LENGTH];
      while (superfluous > 0) {
        int count = stream.read(skipped, 0, (int) Math.min(superfluous, skipped.length));
        if (count < 0) {
          return -1;
        }
        superfluous -= count;
      }
    }
    return stream.read(target, offset, length);
  }

  /// Whether the end of this body is the end of what the server has, and not a lost connection or
  /// the end of a part.
  boolean whole() {
    return answer.delimited() && !partial;
  }

  /// What is said behind the blob's name where its bytes were encoded on the way; else nothing.
  String encoding() {
    return ContentEncoding.of(answer);
  }

  /// Whether the length was announced, so that nothing can follow.
  boolean measured() {
    return answer.length() >= 0;
  }

  @Override
  public void close() {
    answer.close();
  }
}
