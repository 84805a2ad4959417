package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Bytes that nobody changes.
public final class Bytes {
  public static final Bytes NONE = new Bytes(new byte[0]);

  private final byte[] bytes;

  private Bytes(byte[] bytes) {
    this.bytes = bytes;
  }

  /// Copies them.
  public static Bytes of(byte... bytes) {
    return bytes.length == 0 ? NONE : new Bytes(bytes.clone());
  }

  /// Takes so many from the buffer's position.
  public static Bytes read(ByteBuffer source, int length) {
    byte[] bytes = new byte[length];
    source.get(bytes);
    return new Bytes(bytes);
  }

  public int length() {
    return bytes.length;
  }

  public byte byteAt(int index) {
    return bytes[index];
  }

  /// A copy.
  public byte[] toArray() {
    return bytes.clone();
  }

  /// Puts them at the buffer's position.
  public void write(ByteBuffer target) {
    target.put(bytes);
  }

  /// A view from the first byte to the last, read-only, little-endian.
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
