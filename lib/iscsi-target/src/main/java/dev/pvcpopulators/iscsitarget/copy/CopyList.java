package dev.pvcpopulators.iscsitarget.copy;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import dev.pvcpopulators.iscsitarget.inquiry.UnitIdentity;
import dev.pvcpopulators.iscsitarget.scsi.CheckConditionException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// The parameter list of EXTENDED COPY (LID1) (SPC-4, section 6.3).
///
/// | Byte  | Meaning                                             |
/// |------:|-----------------------------------------------------|
/// | 0     | list identifier                                     |
/// | 1     | list identifier usage in bits 4–3                   |
/// | 2–3   | CSCD descriptor list length                         |
/// | 8–11  | segment descriptor list length                      |
/// | 12–15 | inline data length                                  |
/// | 16–   | CSCD descriptors, segment descriptors, inline data  |
///
/// @param known whether [CopyResults] keeps the outcome of the copy under the list identifier
/// @param ours for each CSCD descriptor, whether it names this logical unit
record CopyList(int listId, boolean known, List<Boolean> ours, List<Segment> segments) {
  private static final int USAGE_SHIFT = 3;
  private static final int USAGE_MASK = 0x03;
  private static final int NO_LIST_ID = 0x03;
  private static final int SEGMENTS_LENGTH_OFFSET = 8;
  private static final int INLINE_LENGTH_OFFSET = 12;

  private static final int PERIPHERAL_TYPE_MASK = 0x1F;
  private static final int DESIGNATOR_TYPE_OFFSET = 5;
  private static final int DESIGNATOR_TYPE_MASK = 0x3F;
  private static final int DESIGNATOR_LENGTH_OFFSET = 7;
  private static final int DESIGNATOR_OFFSET = 8;
  private static final int LONGEST_DESIGNATOR = 20;
  private static final int BLOCK_LENGTH_OFFSET = 28;
  private static final int BLOCK_LENGTH_MASK = 0xFF_FFFF;

  private static final int SEGMENT_HEADER = 4;
  private static final int SOURCE_INDEX_OFFSET = 4;
  private static final int DESTINATION_INDEX_OFFSET = 6;
  private static final int BLOCKS_OFFSET = 10;
  private static final int SOURCE_LBA_OFFSET = 12;
  private static final int DESTINATION_LBA_OFFSET = 20;

  private static final int TOO_MANY_CSCD_DESCRIPTORS = 0x2606;
  private static final int UNSUPPORTED_CSCD_DESCRIPTOR = 0x2607;
  private static final int TOO_MANY_SEGMENT_DESCRIPTORS = 0x2608;
  private static final int UNSUPPORTED_SEGMENT_DESCRIPTOR = 0x2609;

  /// A segment of the type "block device to block device" (SPC-4, table 127).
  ///
  /// @param source the index of the source's CSCD descriptor
  /// @param destination the index of the destination's CSCD descriptor
  /// @param blocks 0 to 65,535
  /// @param sourceLba the address of the first block to read; any 64-bit value
  /// @param destinationLba the address of the first block to write; any 64-bit value
  record Segment(int source, int destination, int blocks, long sourceLba, long destinationLba) {}

  CopyList {
    ours = List.copyOf(ours);
    segments = List.copyOf(segments);
  }

  /// Reads a parameter list.
  ///
  /// @param list the bytes of the list; not empty
  static CopyList read(byte[] list, UnitIdentity identity) throws CheckConditionException {
    ByteBuffer fields = ByteBuffer.wrap(list);
    require(list.length >= CopyLimits.HEADER, CheckConditionException.PARAMETER_LIST_LENGTH_ERROR);
    int cscdLength = fields.getShort(2) & 0xFFFF;
    long segmentsLength = fields.getInt(SEGMENTS_LENGTH_OFFSET) & 0xFFFF_FFFFL;
    long inlineLength = fields.getInt(INLINE_LENGTH_OFFSET) & 0xFFFF_FFFFL;
    long descriptors = cscdLength + segmentsLength;
    require(
        descriptors <= CopyLimits.LONGEST_DESCRIPTOR_LISTS
            && CopyLimits.HEADER + descriptors + inlineLength <= list.length,
        CheckConditionException.PARAMETER_LIST_LENGTH_ERROR);
    require(inlineLength == 0, CheckConditionException.INVALID_FIELD_IN_PARAMETER_LIST);
    require(
        cscdLength % CopyLimits.CSCD_DESCRIPTOR == 0,
        CheckConditionException.INVALID_FIELD_IN_PARAMETER_LIST);
    int usage = fields.get(1) >> USAGE_SHIFT & USAGE_MASK;
    fields.position(CopyLimits.HEADER);
    List<Boolean> ours = cscdDescriptors(fields.slice(CopyLimits.HEADER, cscdLength), identity);
    List<Segment> segments =
        segmentDescriptors(fields.slice(CopyLimits.HEADER + cscdLength, (int) segmentsLength));
    return new CopyList(fields.get(0) & 0xFF, usage != NO_LIST_ID, ours, segments);
  }

  private static void require(boolean holds, int code) throws CheckConditionException {
    if (!holds) {
      throw CheckConditionException.illegalRequest(code);
    }
  }

  private static List<Boolean> cscdDescriptors(ByteBuffer list, UnitIdentity identity)
      throws CheckConditionException {
    int count = list.remaining() / CopyLimits.CSCD_DESCRIPTOR;
    require(count <= CopyLimits.MOST_CSCD_DESCRIPTORS, TOO_MANY_CSCD_DESCRIPTORS);
    List<Boolean> ours = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ByteBuffer descriptor =
          list.slice(i * CopyLimits.CSCD_DESCRIPTOR, CopyLimits.CSCD_DESCRIPTOR);
      ours.add(isOurs(descriptor, identity));
    }
    return ours;
  }

  /// Returns whether a CSCD descriptor of the type "identification descriptor" (SPC-4, table 112)
  /// names this logical unit.
  private static boolean isOurs(ByteBuffer descriptor, UnitIdentity identity)
      throws CheckConditionException {
    require(
        (descriptor.get(0) & 0xFF) == CopyLimits.IDENTIFICATION_CSCD, UNSUPPORTED_CSCD_DESCRIPTOR);
    int blockLength = descriptor.getInt(BLOCK_LENGTH_OFFSET) & BLOCK_LENGTH_MASK;
    int length = descriptor.get(DESIGNATOR_LENGTH_OFFSET) & 0xFF;
    require(
        (descriptor.get(1) & PERIPHERAL_TYPE_MASK) == 0
            && blockLength == BlockDevice.BLOCK
            && length <= LONGEST_DESIGNATOR,
        CheckConditionException.INVALID_FIELD_IN_PARAMETER_LIST);
    byte[] designator = new byte[length];
    descriptor.get(DESIGNATOR_OFFSET, designator);
    int type = descriptor.get(DESIGNATOR_TYPE_OFFSET) & DESIGNATOR_TYPE_MASK;
    return identity.isDesignator(type, designator);
  }

  private static List<Segment> segmentDescriptors(ByteBuffer list) throws CheckConditionException {
    List<Segment> segments = new ArrayList<>();
    while (list.hasRemaining()) {
      int at = list.position();
      require((list.get(at) & 0xFF) == CopyLimits.BLOCK_TO_BLOCK, UNSUPPORTED_SEGMENT_DESCRIPTOR);
      require(
          list.remaining() >= CopyLimits.SEGMENT_DESCRIPTOR
              && (list.getShort(at + 2) & 0xFFFF) == CopyLimits.SEGMENT_DESCRIPTOR - SEGMENT_HEADER,
          CheckConditionException.INVALID_FIELD_IN_PARAMETER_LIST);
      require(segments.size() < CopyLimits.MOST_SEGMENT_DESCRIPTORS, TOO_MANY_SEGMENT_DESCRIPTORS);
      segments.add(
          new Segment(
              list.getShort(at + SOURCE_INDEX_OFFSET) & 0xFFFF,
              list.getShort(at + DESTINATION_INDEX_OFFSET) & 0xFFFF,
              list.getShort(at + BLOCKS_OFFSET) & 0xFFFF,
              list.getLong(at + SOURCE_LBA_OFFSET),
              list.getLong(at + DESTINATION_LBA_OFFSET)));
      list.position(at + CopyLimits.SEGMENT_DESCRIPTOR);
    }
    return segments;
  }
}
