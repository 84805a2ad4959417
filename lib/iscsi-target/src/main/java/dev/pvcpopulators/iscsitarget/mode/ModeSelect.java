package dev.pvcpopulators.iscsitarget.mode;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import dev.pvcpopulators.iscsitarget.scsi.CheckConditionException;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// MODE SELECT (6) and (10) (SPC-4, sections 6.11 and 6.12). If any part of the parameter list is
/// invalid, nothing changes.
///
/// @param blocks the capacity of the medium in logical blocks
public record ModeSelect(ModeState state, long blocks) {
  /// The length in bytes of the mode parameter header of MODE SELECT(6) and MODE SENSE(6).
  static final int HEADER_6 = 4;

  static final int HEADER_10 = 8;

  /// The maximum length of a parameter list in bytes. A list with all pages has about 100 bytes.
  private static final int LONGEST_LIST = 4096;

  private static final int FLAGS_FIELD = 1;
  private static final int PF = 0x10;
  private static final int RTD = 0x02;
  private static final int SP = 0x01;
  private static final int LENGTH_6_FIELD = 4;
  private static final int LENGTH_10_FIELD = 7;
  private static final int LONGLBA_OFFSET = 4;
  private static final int LONGLBA = 0x01;
  private static final int DESCRIPTOR_LENGTH_6_OFFSET = 3;
  private static final int DESCRIPTOR_LENGTH_10_OFFSET = 6;
  private static final int SHORT_DESCRIPTOR = 8;
  private static final int LONG_DESCRIPTOR = 16;
  private static final int BLOCK_LENGTH_MASK = 0xFF_FFFF;
  private static final long AS_MANY_AS_POSSIBLE = 0xFFFF_FFFFL;
  private static final int PAGE_CODE_MASK = 0x3F;

  /// Executes MODE SELECT(6).
  ///
  /// @return whether a parameter changed
  public boolean select6(Task task) throws IOException {
    return select(task, false, task.cdb().get(LENGTH_6_FIELD) & 0xFF);
  }

  /// Executes MODE SELECT(10).
  ///
  /// @return whether a parameter changed
  public boolean select10(Task task) throws IOException {
    return select(task, true, task.cdb().getShort(LENGTH_10_FIELD) & 0xFFFF);
  }

  private boolean select(Task task, boolean ten, int length) throws IOException {
    int flags = task.cdb().get(FLAGS_FIELD);
    if ((flags & PF) == 0 || (flags & (SP | RTD)) != 0) {
      throw new CheckConditionException(Sense.invalidField(FLAGS_FIELD));
    }
    byte[] list = ParameterData.receive(task, length, LONGEST_LIST);
    if (list.length == 0) {
      return false;
    }
    ByteBuffer fields = ByteBuffer.wrap(list);
    skipHeader(fields, ten);
    ModeParameters next = state.current();
    while (fields.hasRemaining()) {
      next = page(fields, next);
    }
    return state.change(next);
  }

  /// Checks and skips the header and the block descriptor; leaves the position at the first page.
  private void skipHeader(ByteBuffer fields, boolean ten) throws CheckConditionException {
    int header = ten ? HEADER_10 : HEADER_6;
    if (fields.remaining() < header) {
      throw CheckConditionException.listLength();
    }
    boolean longLba = ten && (fields.get(LONGLBA_OFFSET) & LONGLBA) != 0;
    int descriptor =
        ten
            ? fields.getShort(DESCRIPTOR_LENGTH_10_OFFSET) & 0xFFFF
            : fields.get(DESCRIPTOR_LENGTH_6_OFFSET) & 0xFF;
    if (descriptor != 0 && descriptor != (longLba ? LONG_DESCRIPTOR : SHORT_DESCRIPTOR)) {
      throw CheckConditionException.listField();
    }
    if (fields.remaining() < header + descriptor) {
      throw CheckConditionException.listLength();
    }
    if (descriptor != 0) {
      checkDescriptor(fields, header, longLba);
    }
    fields.position(header + descriptor);
  }

  /// Checks the block descriptor: neither the capacity nor the block length can be changed.
  private void checkDescriptor(ByteBuffer fields, int at, boolean longLba)
      throws CheckConditionException {
    long count = longLba ? fields.getLong(at) : fields.getInt(at) & 0xFFFF_FFFFL;
    int blockLength =
        longLba
            ? fields.getInt(at + LONG_DESCRIPTOR - Integer.BYTES)
            : fields.getInt(at + Integer.BYTES) & BLOCK_LENGTH_MASK;
    boolean sameCount = count == 0 || count == blocks || (!longLba && count == AS_MANY_AS_POSSIBLE);
    if (!sameCount || (blockLength != 0 && blockLength != BlockDevice.BLOCK)) {
      throw CheckConditionException.listField();
    }
  }

  private static ModeParameters page(ByteBuffer fields, ModeParameters before)
      throws CheckConditionException {
    int start = fields.position();
    boolean subpages = (fields.get(start) & ModePage.SPF) != 0;
    if (fields.remaining() < (subpages ? Integer.BYTES : Short.BYTES)) {
      throw CheckConditionException.listLength();
    }
    ModePage page = named(fields.get(start) & PAGE_CODE_MASK, subpages ? fields.get(start + 1) : 0);
    if (page == null || (page.subpage() != 0) != subpages) {
      throw CheckConditionException.listField();
    }
    if (fields.remaining() < page.length()) {
      throw CheckConditionException.listLength();
    }
    byte[] content = new byte[page.length()];
    fields.get(content);
    check(page, content, before);
    return page.read(content, before);
  }

  private static @Nullable ModePage named(int code, int subpage) {
    for (ModePage page : ModePage.values()) {
      if (page.code() == code && page.subpage() == (subpage & 0xFF)) {
        return page;
      }
    }
    return null;
  }

  /// Checks a page: unchangeable fields, including the page length, must have their current value.
  private static void check(ModePage page, byte[] content, ModeParameters before)
      throws CheckConditionException {
    byte[] expected = page.with(before);
    byte[] changeable = page.changeable();
    int header = page.subpage() == 0 ? Short.BYTES : Integer.BYTES;
    for (int i = 0; i < content.length; i++) {
      int fixed = i < header ? 0xFF : ~changeable[i];
      if (((content[i] ^ expected[i]) & fixed) != 0) {
        throw CheckConditionException.listField();
      }
    }
  }
}
