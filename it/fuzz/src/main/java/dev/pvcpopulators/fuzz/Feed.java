package dev.pvcpopulators.fuzz;

import java.util.Arrays;

/// Reads a fuzzer's bytes in order, as numbers, choices and pieces. After the last byte, all
/// numbers are 0 and all pieces are empty. The same bytes always give the same values.
public final class Feed {
  private final byte[] bytes;
  private int position;

  public Feed(byte[] bytes) {
    this.bytes = bytes;
  }

  /// Returns the number of remaining bytes.
  public int left() {
    return bytes.length - position;
  }

  /// Returns the next byte, 0–255; 0 after the end.
  public int next() {
    return position < bytes.length ? bytes[position++] & 0xff : 0;
  }

  /// Returns the next two bytes as a number, most significant byte first.
  public int next16() {
    return (next() << Byte.SIZE) | next();
  }

  /// Returns the next four bytes as a number, most significant byte first.
  public int next32() {
    return (next16() << Short.SIZE) | next16();
  }

  /// Returns the next eight bytes as a number, most significant byte first.
  public long next64() {
    return ((long) next32() << Integer.SIZE) | (next32() & 0xffff_ffffL);
  }

  public boolean flag() {
    return (next() & 1) != 0;
  }

  /// Returns a number from 0 to `bound` - 1.
  ///
  /// @param bound 1–256
  public int below(int bound) {
    return next() % bound;
  }

  /// Returns the next `length` bytes, or all remaining bytes if fewer bytes remain.
  public byte[] take(int length) {
    int end = Math.min(bytes.length, position + length);
    byte[] taken = Arrays.copyOfRange(bytes, position, end);
    position = end;
    return taken;
  }

  /// Returns a piece of 0 to 255 bytes. The next byte is the length of the piece.
  public byte[] piece() {
    return take(next());
  }

  /// Returns all remaining bytes.
  public byte[] rest() {
    return take(left());
  }
}
