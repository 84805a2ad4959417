package dev.pvcpopulators.diskimage.archive;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Optional;

/// An immutable byte string, for Linux file names and for the values of extended attributes. Two
/// instances are equal if their bytes are equal.
///
/// @param latin1 one character for each byte, U+0000 to U+00FF
public record ByteString(String latin1) {
  public static final ByteString EMPTY = new ByteString("");

  /// Copies a part of an array.
  public static ByteString of(byte[] source, int offset, int length) {
    return length == 0 ? EMPTY : new ByteString(new String(source, offset, length, ISO_8859_1));
  }

  /// Copies an array.
  public static ByteString of(byte[] source) {
    return of(source, 0, source.length);
  }

  /// Copies a part of an array, up to the first NUL.
  static ByteString beforeNul(byte[] source, int offset, int length) {
    int end = offset;
    while (end < offset + length && source[end] != 0) {
      end++;
    }
    return of(source, offset, end - offset);
  }

  /// Returns the number of bytes.
  public int length() {
    return latin1.length();
  }

  public boolean isEmpty() {
    return latin1.isEmpty();
  }

  /// Returns a copy of the bytes.
  public byte[] bytes() {
    return latin1.getBytes(ISO_8859_1);
  }

  /// Returns the text; empty if the bytes are not UTF-8.
  Optional<String> text() {
    try {
      return Optional.of(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes())).toString());
    } catch (CharacterCodingException _) {
      return Optional.empty();
    }
  }

  /// Returns the bytes decoded as UTF-8. Each malformed sequence becomes U+FFFD.
  @Override
  public String toString() {
    return new String(bytes(), UTF_8);
  }
}
