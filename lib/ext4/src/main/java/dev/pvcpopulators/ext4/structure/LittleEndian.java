package dev.pvcpopulators.ext4.structure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Accesses little-endian fields of a structure, regardless of the byte order of the buffer.
/// Offsets are counted from the start of the buffer; the position of the buffer does not change.
public final class LittleEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  /// Reads a `__u8`.
  public static int u8(ByteBuffer buffer, int offset) {
    return Byte.toUnsignedInt(buffer.get(offset));
  }

  /// Reads a `__le16`.
  public static int u16(ByteBuffer buffer, int offset) {
    return Short.toUnsignedInt((short) SHORT.get(buffer, offset));
  }

  /// Reads a `__le32` as a signed `int`, for example flags or a magic number.
  public static int i32(ByteBuffer buffer, int offset) {
    return (int) INT.get(buffer, offset);
  }

  /// Reads a `__le32`.
  public static long u32(ByteBuffer buffer, int offset) {
    return Integer.toUnsignedLong(i32(buffer, offset));
  }

  /// Writes the lower 16 bits of a value.
  public static void put16(ByteBuffer buffer, int offset, int value) {
    SHORT.set(buffer, offset, (short) value);
  }

  /// Writes the lower 32 bits of a value.
  public static void put32(ByteBuffer buffer, int offset, long value) {
    INT.set(buffer, offset, (int) value);
  }
}
