package dev.pvcpopulators.iscsitarget.mode;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// MODE SENSE (6) and (10) (SPC-4, sections 6.13 and 6.14). The parameter data consists of a
/// header, an optional block descriptor, and pages.
public record ModeSense(ModeState state, BlockDevice block) {
  private static final int FLAGS_FIELD = 1;
  private static final int DBD = 0x08;
  private static final int LLBAA = 0x10;
  private static final int PAGE_FIELD = 2;
  private static final int PAGE_MASK = 0x3F;
  private static final int PAGE_CONTROL_SHIFT = 6;
  private static final int SUBPAGE_FIELD = 3;
  private static final int ALL_PAGES = 0x3F;
  private static final int ALL_SUBPAGES = 0xFF;
  private static final int ALLOCATION_LENGTH_6_FIELD = 4;
  private static final int ALLOCATION_LENGTH_10_FIELD = 7;

  /// Values of the PC field.
  private static final int CHANGEABLE = 1;

  private static final int DEFAULT = 2;
  private static final int SAVED = 3;

  private static final int WP = 0x80;
  private static final int DPOFUA = 0x10;
  private static final int LONGLBA = 0x01;
  private static final int SHORT_DESCRIPTOR = 8;
  private static final int LONG_DESCRIPTOR = 16;
  private static final long MOST_IN_SHORT_DESCRIPTOR = 0xFFFF_FFFFL;
  private static final int SAVING_NOT_SUPPORTED = 0x3900;

  /// Executes MODE SENSE(6).
  public Response sense6(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    return send(task, cdb, false, cdb.get(ALLOCATION_LENGTH_6_FIELD) & 0xFF);
  }

  /// Executes MODE SENSE(10).
  public Response sense10(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    return send(task, cdb, true, cdb.getShort(ALLOCATION_LENGTH_10_FIELD) & 0xFFFF);
  }

  private Response send(Task task, ByteBuffer cdb, boolean ten, int allocationLength)
      throws IOException {
    int pageControl = (cdb.get(PAGE_FIELD) & 0xFF) >> PAGE_CONTROL_SHIFT;
    if (pageControl == SAVED) {
      return Response.check(SenseKey.ILLEGAL_REQUEST, SAVING_NOT_SUPPORTED);
    }
    int code = cdb.get(PAGE_FIELD) & PAGE_MASK;
    int subpage = cdb.get(SUBPAGE_FIELD) & 0xFF;
    if (code == ALL_PAGES && subpage != 0 && subpage != ALL_SUBPAGES) {
      return Response.invalidField(SUBPAGE_FIELD);
    }
    List<byte[]> pages = new ArrayList<>();
    boolean known = false;
    for (ModePage page : ModePage.values()) {
      boolean named = code == ALL_PAGES || code == page.code();
      known |= named;
      if (named && (subpage == ALL_SUBPAGES || subpage == page.subpage())) {
        pages.add(content(page, pageControl));
      }
    }
    if (pages.isEmpty()) {
      return Response.invalidField(known ? SUBPAGE_FIELD : PAGE_FIELD);
    }
    return ParameterData.send(task, parameterData(cdb, ten, pages), allocationLength);
  }

  private byte[] content(ModePage page, int pageControl) {
    return switch (pageControl) {
      case CHANGEABLE -> page.changeable();
      case DEFAULT -> page.with(state.defaults());
      default -> page.with(state.current());
    };
  }

  /// Returns the parameter data (SPC-4, tables 429 and 430).
  private byte[] parameterData(ByteBuffer cdb, boolean ten, List<byte[]> pages) {
    byte[] descriptor =
        (cdb.get(FLAGS_FIELD) & DBD) != 0
            ? new byte[0]
            : blockDescriptor(ten && (cdb.get(FLAGS_FIELD) & LLBAA) != 0);
    int header = ten ? ModeSelect.HEADER_10 : ModeSelect.HEADER_6;
    int length = header + descriptor.length + pages.stream().mapToInt(page -> page.length).sum();
    int deviceSpecific = (block.writeProtected() ? WP : 0) | DPOFUA;
    ByteBuffer data = ByteBuffer.allocate(length);
    if (ten) {
      data.putShort((short) (length - Short.BYTES)).put((byte) 0).put((byte) deviceSpecific);
      data.put((byte) (descriptor.length == LONG_DESCRIPTOR ? LONGLBA : 0)).put((byte) 0);
      data.putShort((short) descriptor.length);
    } else {
      data.put((byte) (length - 1)).put((byte) 0).put((byte) deviceSpecific);
      data.put((byte) descriptor.length);
    }
    data.put(descriptor);
    pages.forEach(data::put);
    return data.array();
  }

  /// Returns the block descriptor, long or short (SBC-3, tables 161 and 162).
  private byte[] blockDescriptor(boolean longLba) {
    long blocks = block.medium().length() / BlockDevice.BLOCK;
    if (longLba) {
      return ByteBuffer.allocate(LONG_DESCRIPTOR)
          .putLong(blocks)
          .putInt(0)
          .putInt(BlockDevice.BLOCK)
          .array();
    }
    return ByteBuffer.allocate(SHORT_DESCRIPTOR)
        .putInt((int) Math.min(blocks, MOST_IN_SHORT_DESCRIPTOR))
        .putInt(BlockDevice.BLOCK)
        .array();
  }
}
