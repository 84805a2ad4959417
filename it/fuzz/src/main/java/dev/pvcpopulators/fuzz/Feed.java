package dev.pvcpopulators.fuzz;

import java.util.Arrays;

/// Takes a fuzzer's bytes for numbers, choices and pieces, from the front; behind the end all is 0.
/// The same bytes always mean the same.
public final class Feed {
  private final byte[] bytes;
  private int position;

  public Feed(byte[] bytes) {
    this.bytes = bytes;
  }

  /// Bytes that are left.
  public int left() {
    return bytes.length - position;
  }

  /// The next byte, 0–255; 0 behind the end.
  public int next() {
    return position < bytes.length ? bytes[position++] & 0xff : 0;
  }

  /// Two bytes, most significant first.
  public int next16() {
    return (next() << Byte.SIZE) | next();
  }

  /// Four bytes, most significant first.
  public int next32() {
    return (next16() << Short.SIZE) | next16();
  }

  /// Eight bytes, most significant first.
  public long next64() {
    return ((long) next32() << Integer.SIZE) | (next32() & 0xffff_ffffL);
  }

  public boolean flag() {
    return (next() & 1) != 0;
  }

  /// A number below the bound.
  ///
  /// @param bound 1–256
  public int below(int bound) {
    return next() % bound;
  }

  /// So many bytes, or as many as are left.
  public byte[] take(int length) {
    int end = Math.min(bytes.length, position + length);
    byte[] taken = Arrays.copyOfRange(bytes, position, end);
    position = end;
    return taken;
  }

  /// A piece with its length in front, in one byte.
  public byte[] piece() {
    return take(next());
  }

  /// All that is left.
  public byte[] rest() {
    return take(left());
  }
}
