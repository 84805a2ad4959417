package dev.pvcpopulators.ext4.structure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Fields of a structure as ext4 has them, whatever order the buffer is set to. Offsets are
/// absolute; positions stay where they are.
public final class LittleEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  /// `__u8`.
  public static int u8(ByteBuffer buffer, int offset) {
    return Byte.toUnsignedInt(buffer.get(offset));
  }

  /// `__le16`.
  public static int u16(ByteBuffer buffer, int offset) {
    return Short.toUnsignedInt((short) SHORT.get(buffer, offset));
  }

  /// `__le32`, as it is: for flags and magic numbers.
  public static int i32(ByteBuffer buffer, int offset) {
    return (int) INT.get(buffer, offset);
  }

  /// `__le32`.
  public static long u32(ByteBuffer buffer, int offset) {
    return Integer.toUnsignedLong(i32(buffer, offset));
  }

  /// The lower 16 bits of a value.
  public static void put16(ByteBuffer buffer, int offset, int value) {
    SHORT.set(buffer, offset, (short) value);
  }

  /// The lower 32 bits of a value.
  public static void put32(ByteBuffer buffer, int offset, long value) {
    INT.set(buffer, offset, (int) value);
  }
}
