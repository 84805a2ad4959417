package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.BlockLimits;
import java.nio.ByteBuffer;
import java.util.List;

/// The vital product data pages of a direct-access block device (SBC-3, section 6.6).
record BlockPages(BlockDevice blocks) {
  private static final int BLOCK_LIMITS = 0xB0;
  private static final int BLOCK_DEVICE_CHARACTERISTICS = 0xB1;
  private static final int LOGICAL_BLOCK_PROVISIONING = 0xB2;

  private static final int HEADER = 4;
  private static final int LONG_PAGE = 0x3C;
  private static final int PROVISIONING_PAGE = 4;

  private static final int UGAVALID = 0x8000_0000;
  private static final int NON_ROTATING = 1;

  /// WABEREQ and WACEREQ (write after block erase required, write after cryptographic erase
  /// required), both 01b: after a block erase or cryptographic erase, a block can be read before it
  /// is written again.
  private static final int READS_AFTER_ERASE = 0x50;

  private static final int LBPU_LBPWS_LBPWS10_LBPRZ = 0xE4;
  private static final int THIN_PROVISIONED = 2;

  static List<Integer> codes() {
    return List.of(BLOCK_LIMITS, BLOCK_DEVICE_CHARACTERISTICS, LOGICAL_BLOCK_PROVISIONING);
  }

  /// Returns a page with its header.
  ///
  /// @param code the code of the page, one of [#codes]
  byte[] page(int code) {
    return switch (code) {
      case BLOCK_LIMITS -> blockLimits();
      case BLOCK_DEVICE_CHARACTERISTICS -> characteristics();
      case LOGICAL_BLOCK_PROVISIONING -> provisioning();
      default -> throw new IllegalArgumentException("No page %02xh".formatted(code));
    };
  }

  /// Returns the block limits page (B0h). Bytes 20 to 35 are 0 if the device is read-only.
  ///
  /// | Bytes | Field                                                                       |
  /// |------:|-----------------------------------------------------------------------------|
  /// |     4 | WSNZ: 0, WRITE SAME of 0 blocks extends to the end                          |
  /// |     5 | MAXIMUM COMPARE AND WRITE LENGTH                                            |
  /// |   6–7 | OPTIMAL TRANSFER LENGTH GRANULARITY                                         |
  /// |  8–11 | MAXIMUM TRANSFER LENGTH                                                     |
  /// | 12–15 | OPTIMAL TRANSFER LENGTH                                                     |
  /// | 16–19 | MAXIMUM PREFETCH LENGTH: not reported                                       |
  /// | 20–23 | MAXIMUM UNMAP LBA COUNT                                                     |
  /// | 24–27 | MAXIMUM UNMAP BLOCK DESCRIPTOR COUNT                                        |
  /// | 28–31 | OPTIMAL UNMAP GRANULARITY                                                   |
  /// | 32–35 | UGAVALID, UNMAP GRANULARITY ALIGNMENT: 0                                    |
  /// | 36–43 | MAXIMUM WRITE SAME LENGTH                                                   |
  /// | 44–47 | MAXIMUM ATOMIC TRANSFER LENGTH                                              |
  /// | 48–55 | ATOMIC ALIGNMENT, ATOMIC TRANSFER LENGTH GRANULARITY: any                   |
  /// | 56–59 | MAXIMUM ATOMIC TRANSFER LENGTH WITH ATOMIC BOUNDARY: 0                      |
  /// | 60–63 | MAXIMUM ATOMIC BOUNDARY SIZE: 0, no atomic boundary is supported            |
  private byte[] blockLimits() {
    byte[] bytes = new byte[HEADER + LONG_PAGE];
    ByteBuffer page = begin(bytes, BLOCK_LIMITS);
    page.put((byte) 0)
        .put((byte) BlockLimits.COMPARE_AND_WRITE)
        .putShort((short) BlockLimits.OPTIMAL_GRANULARITY)
        .putInt(BlockLimits.TRANSFER)
        .putInt(BlockLimits.OPTIMAL_TRANSFER)
        .putInt(0);
    if (blocks.thin()) {
      page.putInt(BlockLimits.UNMAP)
          .putInt(BlockLimits.UNMAP_DESCRIPTORS)
          .putInt(BlockLimits.UNMAP_GRANULARITY)
          .putInt(UGAVALID);
    } else {
      page.putLong(0).putLong(0);
    }
    page.putLong(BlockLimits.WRITE_SAME).putInt(BlockLimits.ATOMIC);
    return bytes;
  }

  /// Returns the block device characteristics page (B1h).
  ///
  /// | Bytes | Field                                                           |
  /// |------:|-----------------------------------------------------------------|
  /// |   4–5 | MEDIUM ROTATION RATE: 1, not rotating                           |
  /// |     7 | WABEREQ, WACEREQ: 01b, 00b if the device is read-only;          |
  /// |       | NOMINAL FORM FACTOR: 0, not reported                            |
  /// |     8 | ZONED: 0                                                        |
  private byte[] characteristics() {
    byte[] bytes = new byte[HEADER + LONG_PAGE];
    ByteBuffer page = begin(bytes, BLOCK_DEVICE_CHARACTERISTICS);
    page.putShort((short) NON_ROTATING).put((byte) 0);
    page.put((byte) (blocks.thin() ? READS_AFTER_ERASE : 0));
    return bytes;
  }

  /// Returns the logical block provisioning page (B2h). Bytes 4 to 7 are 0 if the device is
  /// read-only.
  ///
  /// | Bytes | Field                                                 |
  /// |------:|-------------------------------------------------------|
  /// |     4 | THRESHOLD EXPONENT: none                              |
  /// |     5 | LBPU, LBPWS, LBPWS10: 1; LBPRZ: 001b; ANC_SUP, DP: 0  |
  /// |     6 | PROVISIONING TYPE: 2, thin provisioned                |
  private byte[] provisioning() {
    byte[] bytes = new byte[HEADER + PROVISIONING_PAGE];
    ByteBuffer page = begin(bytes, LOGICAL_BLOCK_PROVISIONING);
    if (blocks.thin()) {
      page.put((byte) 0).put((byte) LBPU_LBPWS_LBPWS10_LBPRZ).put((byte) THIN_PROVISIONED);
    }
    return bytes;
  }

  private static ByteBuffer begin(byte[] bytes, int code) {
    ByteBuffer page = ByteBuffer.wrap(bytes);
    return page.put((byte) 0).put((byte) code).putShort((short) (bytes.length - HEADER));
  }
}
