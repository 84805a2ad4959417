package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;

/// A device number as `i_block` stores it: in the first word if major and minor are both below 256,
/// otherwise in the second word (include/linux/kdev_t.h, `old_encode_dev` and `new_encode_dev`).
///
/// | Bits of the second word | Meaning                      |
/// |------------------------:|------------------------------|
/// |                     0–7 | lower 8 bits of the minor    |
/// |                    8–19 | major                        |
/// |                   20–31 | upper 12 bits of the minor   |
///
/// @param major the major number, 0–4,095
/// @param minor the minor number, 0–1,048,575
public record DeviceNumber(int major, int minor) {
  public static final int MAX_MAJOR = 0xfff;
  public static final int MAX_MINOR = 0xf_ffff;

  private static final int SHORT_MAX = 0xff;
  private static final int MAJOR_SHIFT = 8;
  private static final int MINOR_HIGH_SHIFT = 20;

  public DeviceNumber {
    if (major < 0 || major > MAX_MAJOR || minor < 0 || minor > MAX_MINOR) {
      throw new IllegalArgumentException(
          "A device's number is at most %d:%d, found %d:%d"
              .formatted(MAX_MAJOR, MAX_MINOR, major, minor));
    }
  }

  /// Returns the content of `i_block`.
  ///
  /// @return 60 bytes
  public Bytes block() {
    ByteBuffer block = ByteBuffer.allocate(Inode.BLOCK_LENGTH);
    if (major <= SHORT_MAX && minor <= SHORT_MAX) {
      LittleEndian.put32(block, 0, (major << MAJOR_SHIFT) | minor);
    } else {
      int high = (minor & ~SHORT_MAX) << (MINOR_HIGH_SHIFT - Byte.SIZE);
      LittleEndian.put32(block, Integer.BYTES, high | (major << MAJOR_SHIFT) | (minor & SHORT_MAX));
    }
    return Bytes.read(block, Inode.BLOCK_LENGTH);
  }
}
