package dev.pvcpopulators.ext4.block;

import java.nio.ByteBuffer;

/// The CRC-16 checksum of group descriptors: polynomial 0x8005, lowest bit first, without a final
/// complement (lib/crc16.c of Linux).
final class Crc16 {
  private static final int REFLECTED_POLYNOMIAL = 0xa001;
  private static final int START = 0xffff;
  private static final int[] TABLE = new int[256];

  static {
    for (int i = 0; i < TABLE.length; i++) {
      int value = i;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        value = (value & 1) == 0 ? value >>> 1 : (value >>> 1) ^ REFLECTED_POLYNOMIAL;
      }
      TABLE[i] = value;
    }
  }

  private int value = START;

  /// Adds bytes of a buffer to the checksum.
  void update(ByteBuffer source, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      value = (value >>> Byte.SIZE) ^ TABLE[(value ^ source.get(i)) & 0xff];
    }
  }

  int value() {
    return value;
  }
}
