package dev.pvcpopulators.iscsitarget.login.text;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Splits text into chunks that each fit into one PDU.
public final class TextChunks {
  private TextChunks() {}

  /// Splits the remaining bytes of a buffer.
  ///
  /// @param most the maximum number of bytes of a chunk, 1 or more
  /// @return at least one chunk; a single empty chunk if there is no text. The chunks are views of
  ///   the buffer
  public static List<ByteBuffer> of(ByteBuffer text, int most) {
    List<ByteBuffer> chunks = new ArrayList<>();
    int at = text.position();
    do {
      int length = Math.min(text.limit() - at, most);
      chunks.add(text.slice(at, length).asReadOnlyBuffer());
      at += length;
    } while (at < text.limit());
    return List.copyOf(chunks);
  }
}
