package dev.pvcpopulators.diskimage.archive;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Optional;

/// Bytes that nobody changes: what Linux takes names and the values of extended attributes for.
/// Equal where the bytes are.
///
/// @param latin1 one character for each byte, U+0000 to U+00FF
public record ByteString(String latin1) {
  public static final ByteString EMPTY = new ByteString("");

  /// Copies bytes.
  public static ByteString of(byte[] source, int offset, int length) {
    return length == 0 ? EMPTY : new ByteString(new String(source, offset, length, ISO_8859_1));
  }

  /// Copies bytes.
  public static ByteString of(byte[] source) {
    return of(source, 0, source.length);
  }

  /// How many there are.
  public int length() {
    return latin1.length();
  }

  public boolean isEmpty() {
    return latin1.isEmpty();
  }

  /// A copy.
  public byte[] bytes() {
    return latin1.getBytes(ISO_8859_1);
  }

  /// As text; empty where it is not UTF-8.
  Optional<String> text() {
    try {
      return Optional.of(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes())).toString());
    } catch (CharacterCodingException _) {
      // That is the question that was asked.
      return Optional.empty();
    }
  }

  /// As text for messages, what is not UTF-8 replaced.
  @Override
  public String toString() {
    return new String(bytes(), UTF_8);
  }
}
