package dev.pvcpopulators.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/// The body of a response, without the bytes that the reader already has.
public final class ResponseBody implements Closeable {
  private static final int SKIP_LENGTH = 64 << 10;

  private final Response response;
  private final InputStream stream;
  private final boolean partial;
  private long superfluous;

  /// Wraps a response. The first [#read] skips the bytes that the reader already has.
  ///
  /// @param response the response; owned by this object from now on
  /// @param superfluous the number of bytes at the beginning of the body that the reader already
  ///   has
  /// @param partial whether the body is only a part of the content, as with the status 206
  public ResponseBody(Response response, long superfluous, boolean partial) throws IOException {
    this.response = response;
    this.superfluous = superfluous;
    this.partial = partial;
    stream = response.body();
  }

  /// Reads up to `length` bytes; returns -1 at the end of the body, which may be before the end of
  /// the content.
  public int read(byte[] target, int offset, int length) throws IOException {
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

  /// Returns whether the end of this body is certainly the end of the server's content. Returns
  /// false if a lost connection could also be the reason for the end, or if the body is only a part
  /// of the content.
  public boolean whole() {
    return response.delimited() && !partial;
  }

  /// Returns the note of [Response#encodingNote].
  public String encodingNote() {
    return response.encodingNote();
  }

  /// Returns whether the server announced the length of the body; if so, the body ends after this
  /// number of bytes.
  public boolean measured() {
    return response.length() >= 0;
  }

  @Override
  public void close() {
    response.close();
  }
}
