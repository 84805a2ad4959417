package dev.pvcpopulators.diskimage.qcow2;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.Deflater;

/// A qcow2 image with clusters of 4 KiB, written byte by byte from the specification and not with
/// our own code. The image is valid until a test changes it.
///
/// | Cluster | Content                                  |
/// |--------:|------------------------------------------|
/// | 0       | header                                   |
/// | 1, 2    | refcount table, refcount block           |
/// | 3       | L1 table, 2 entries                      |
/// | 4, 5    | L2 tables of guest 0–2 MiB and 2–4 MiB   |
/// | 6–13    | guest clusters 0–3, then 512–515         |
/// | 14      | guest clusters 8, 9, 10, compressed      |
final class ImageBytes {
  static final int CLUSTER = 4096;
  static final int L1 = 3 * CLUSTER;
  static final int L2 = 4 * CLUSTER;
  static final int SECOND_L2 = 5 * CLUSTER;
  static final int DATA = 6 * CLUSTER;
  static final int PACKED = 14 * CLUSTER;
  static final long SIZE = 4 << 20;
  static final long COMPRESSED = 1L << 62;

  private static final int CLUSTER_BITS = 12;
  private static final int OFFSET_BITS = 62 - (CLUSTER_BITS - 8);
  private static final int CLUSTERS = 15;

  private byte[] bytes = new byte[CLUSTERS * CLUSTER];

  ImageBytes() {
    putInt(0, 0x514649fb).putInt(4, 3);
    putInt(20, CLUSTER_BITS).putLong(24, SIZE);
    putInt(36, 2).putLong(40, L1);
    putLong(48, CLUSTER).putInt(56, 1);
    putInt(96, 4).putInt(100, 104);
    putLong(CLUSTER, 2 * CLUSTER);
    for (int i = 0; i < CLUSTERS; i++) {
      putShort(2 * CLUSTER + 2 * i, (short) 1);
    }
    putLong(L1, L2).putLong(L1 + 8, SECOND_L2);
    Random content = new Random(1);
    for (int i = 0; i < 4; i++) {
      putLong(L2 + 8 * i, DATA + i * CLUSTER);
      putLong(SECOND_L2 + 8 * i, DATA + (4 + i) * CLUSTER);
    }
    for (int i = DATA; i < PACKED; i++) {
      bytes[i] = (byte) content.nextInt();
    }
    int at = PACKED;
    for (int i = 0; i < 3; i++) {
      byte[] packed = deflate(("guest cluster " + i + " ").repeat(CLUSTER).substring(0, CLUSTER));
      putLong(L2 + 8 * (8 + i), extent(at, packed.length));
      put(at, packed);
      at += packed.length;
    }
  }

  /// Returns the L2 entry of a compressed cluster: the descriptor with the flag [#COMPRESSED].
  static long extent(long hostOffset, int length) {
    long sectors = (hostOffset + length - 1) / 512 - hostOffset / 512;
    return COMPRESSED | sectors << OFFSET_BITS | hostOffset;
  }

  static byte[] deflate(String text) {
    try (Deflater deflater = new Deflater(9, true)) {
      deflater.setInput(text.getBytes(StandardCharsets.US_ASCII));
      deflater.finish();
      byte[] packed = new byte[text.length() + 64];
      return Arrays.copyOf(packed, deflater.deflate(packed));
    }
  }

  ImageBytes putShort(int offset, short value) {
    ByteBuffer.wrap(bytes).putShort(offset, value);
    return this;
  }

  ImageBytes putInt(int offset, int value) {
    ByteBuffer.wrap(bytes).putInt(offset, value);
    return this;
  }

  ImageBytes putLong(int offset, long value) {
    ByteBuffer.wrap(bytes).putLong(offset, value);
    return this;
  }

  ImageBytes put(int offset, byte[] value) {
    System.arraycopy(value, 0, bytes, offset, value.length);
    return this;
  }

  long getLong(int offset) {
    return ByteBuffer.wrap(bytes).getLong(offset);
  }

  ImageBytes flip(long bit) {
    bytes[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
    return this;
  }

  /// Truncates the image, or appends zeros.
  ImageBytes resize(int length) {
    bytes = Arrays.copyOf(bytes, length);
    return this;
  }

  int length() {
    return bytes.length;
  }

  byte[] toArray() {
    return bytes.clone();
  }
}
