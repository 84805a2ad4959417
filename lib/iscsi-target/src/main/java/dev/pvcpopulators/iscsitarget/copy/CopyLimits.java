package dev.pvcpopulators.iscsitarget.copy;

import dev.pvcpopulators.iscsitarget.scsi.OperationCode;
import java.nio.ByteBuffer;

/// The limits of EXTENDED COPY, and the two data structures that report them to initiators.
public final class CopyLimits {
  /// The length of the parameter list's header in bytes (SPC-4, table 103).
  static final int HEADER = 16;

  /// The length of a CSCD (copy source or copy destination) descriptor in bytes (SPC-4, table 108).
  static final int CSCD_DESCRIPTOR = 32;

  /// The length in bytes of a segment descriptor of the type "block device to block device" (SPC-4,
  /// table 127).
  static final int SEGMENT_DESCRIPTOR = 28;

  static final int MOST_CSCD_DESCRIPTORS = 4;
  static final int MOST_SEGMENT_DESCRIPTORS = 16;

  /// The maximum total length in bytes of the list of CSCD descriptors and the list of segment
  /// descriptors.
  static final int LONGEST_DESCRIPTOR_LISTS =
      MOST_CSCD_DESCRIPTORS * CSCD_DESCRIPTOR + MOST_SEGMENT_DESCRIPTORS * SEGMENT_DESCRIPTOR;

  /// The descriptor type code of an identification CSCD descriptor.
  static final int IDENTIFICATION_CSCD = 0xE4;

  /// The descriptor type code of a segment descriptor of the type "block device to block device".
  static final int BLOCK_TO_BLOCK = 0x02;

  /// A service action of [OperationCode#THIRD_PARTY_COPY_OUT]: EXTENDED COPY (LID1).
  public static final int EXTENDED_COPY = 0x00;

  /// A service action of [OperationCode#THIRD_PARTY_COPY_IN]: RECEIVE COPY STATUS (LID1).
  public static final int COPY_STATUS = 0x00;

  /// A service action of [OperationCode#THIRD_PARTY_COPY_IN]: RECEIVE COPY OPERATING PARAMETERS.
  public static final int OPERATING_PARAMETERS = 0x03;

  /// The maximum length of a segment in bytes: the block count of a segment has 16 bits.
  private static final int LONGEST_SEGMENT = 0xFFFF * 512;

  private static final int OPERATING_PARAMETERS_HEADER = 44;
  private static final int SNLID = 0x01;
  private static final int GRANULARITY_LOG2 = 9;

  private static final int SUPPORTED_COMMANDS = 0x0001;
  private static final int PARAMETER_DATA = 0x0004;
  private static final int SUPPORTED_DESCRIPTORS = 0x0008;
  private static final int GENERAL_COPY_OPERATIONS = 0x8001;

  private CopyLimits() {}

  /// Returns the parameter data of RECEIVE COPY OPERATING PARAMETERS (SPC-4, table 348).
  public static byte[] operatingParameters() {
    byte[] codes = {BLOCK_TO_BLOCK, (byte) IDENTIFICATION_CSCD};
    ByteBuffer data = ByteBuffer.allocate(OPERATING_PARAMETERS_HEADER + codes.length);
    data.putInt(data.capacity() - Integer.BYTES).putInt(SNLID << 24);
    data.putShort((short) MOST_CSCD_DESCRIPTORS).putShort((short) MOST_SEGMENT_DESCRIPTORS);
    data.putInt(LONGEST_DESCRIPTOR_LISTS).putInt(LONGEST_SEGMENT);
    data.putInt(0); // inline data
    data.putInt(0); // held data
    data.putInt(0); // stream device transfers
    data.putShort((short) 0).putShort((short) 1); // reserved, total concurrent copies
    data.put((byte) 1).put((byte) GRANULARITY_LOG2);
    data.put(OPERATING_PARAMETERS_HEADER - 1, (byte) codes.length);
    data.put(OPERATING_PARAMETERS_HEADER, codes);
    return data.array();
  }

  /// Returns the content of the third-party copy VPD page (SPC-4, section 7.8.17).
  public static byte[] thirdPartyCopyPage() {
    ByteBuffer page = ByteBuffer.allocate(12 + 32 + 8 + 36);
    page.putShort((short) SUPPORTED_COMMANDS).putShort((short) 8).put((byte) 7);
    page.put((byte) OperationCode.THIRD_PARTY_COPY_OUT).put((byte) 1).put((byte) EXTENDED_COPY);
    page.put((byte) OperationCode.THIRD_PARTY_COPY_IN).put((byte) 2);
    page.put((byte) COPY_STATUS).put((byte) OPERATING_PARAMETERS);

    page.putShort((short) PARAMETER_DATA).putShort((short) 28).putInt(0);
    page.putShort((short) MOST_CSCD_DESCRIPTORS).putShort((short) MOST_SEGMENT_DESCRIPTORS);
    page.putInt(LONGEST_DESCRIPTOR_LISTS).putInt(0).position(page.position() + 12);

    page.putShort((short) SUPPORTED_DESCRIPTORS).putShort((short) 4).put((byte) 2);
    page.put((byte) BLOCK_TO_BLOCK).put((byte) IDENTIFICATION_CSCD).put((byte) 0);

    page.putShort((short) GENERAL_COPY_OPERATIONS).putShort((short) 32);
    page.putInt(1).putInt(1).putInt(LONGEST_SEGMENT);
    page.put((byte) GRANULARITY_LOG2).put((byte) 0).put(new byte[18]);
    return page.array();
  }
}
