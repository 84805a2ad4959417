package dev.pvcpopulators.iscsitarget.pdu;

/// Sizes common to all PDUs (RFC 7143, sections 11.1 and 11.2).
public final class PduFormat {
  /// Bytes of a basic header segment.
  public static final int BHS_LENGTH = 48;

  /// Bytes of a header digest or a data digest.
  public static final int DIGEST_LENGTH = 4;

  /// The maximum number of bytes of additional header segments: 255 words.
  public static final int MAX_AHS_LENGTH = 255 * Integer.BYTES;

  /// The maximum number of bytes of a data segment: its length has 24 bits.
  public static final int MAX_DATA_SEGMENT_LENGTH = 0xFF_FFFF;

  /// The task tag that means "no task" (RFC 7143, section 11.2.1.8).
  public static final int NO_TAG = 0xFFFF_FFFF;

  /// Segments are padded to whole words.
  private static final int WORD = Integer.BYTES;

  private PduFormat() {}

  /// Returns the number of zeros after a segment (RFC 7143, section 11.1).
  ///
  /// @param length the length of the segment in bytes, not negative
  /// @return 0 to 3
  public static int padding(int length) {
    return -length & (WORD - 1);
  }

  /// Returns the length of a segment with its padding in bytes.
  ///
  /// @param length 0 to [#MAX_DATA_SEGMENT_LENGTH]
  public static int padded(int length) {
    return length + padding(length);
  }
}
