package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// An immutable sequence of bytes.
public sealed class Bytes permits Name {
  public static final Bytes NONE = new Bytes(new byte[0]);

  private final byte[] bytes;

  Bytes(byte[] bytes) {
    this.bytes = bytes;
  }

  /// Copies an array.
  public static Bytes of(byte... bytes) {
    return bytes.length == 0 ? NONE : new Bytes(bytes.clone());
  }

  /// Reads the given number of bytes at the buffer's position and advances the position.
  ///
  /// @throws java.nio.BufferUnderflowException if the buffer has fewer remaining bytes
  public static Bytes read(ByteBuffer source, int length) {
    byte[] bytes = new byte[length];
    source.get(bytes);
    return new Bytes(bytes);
  }

  /// Returns the length in bytes.
  public int length() {
    return bytes.length;
  }

  public byte byteAt(int index) {
    return bytes[index];
  }

  /// Returns a copy as an array.
  public byte[] toArray() {
    return bytes.clone();
  }

  /// Writes the bytes at the buffer's position and advances the position.
  public void write(ByteBuffer target) {
    target.put(bytes);
  }

  /// Returns a read-only, little-endian view of all bytes.
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes others && Arrays.equals(bytes, others.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
