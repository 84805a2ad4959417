package dev.pvcpopulators.iscsitarget.inquiry;

import dev.pvcpopulators.iscsitarget.scsi.BriefCommand;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// INQUIRY (SPC-4, section 6.6): the standard data, and vital product data pages.
///
/// | Byte  | Standard INQUIRY data (SPC-4, table 175)           |
/// |------:|----------------------------------------------------|
/// | 0     | peripheral qualifier and device type               |
/// | 1     | RMB                                                |
/// | 2     | version: 6, SPC-4                                  |
/// | 3     | HISUP, response data format 2                      |
/// | 4     | additional length                                  |
/// | 5     | 3PC                                                |
/// | 7     | CMDQUE                                             |
/// | 8–15  | T10 vendor identification                          |
/// | 16–31 | product identification                             |
/// | 32–35 | product revision level                             |
/// | 58–73 | version descriptors                                |
public final class Inquiry implements BriefCommand {
  /// Peripheral device type: direct access block device.
  public static final int DIRECT_ACCESS = 0x00;

  /// Peripheral device type: well-known logical unit.
  public static final int WELL_KNOWN = 0x1E;

  /// Peripheral qualifier 3 and device type 1Fh: the target has no logical unit at this LUN.
  public static final int NOTHING = 0x7F;

  private static final int LENGTH = 96;
  private static final int LENGTH_UP_TO_ADDITIONAL = 5;
  private static final int RMB = 0x80;
  private static final int VERSION_SPC_4 = 6;
  private static final int HISUP = 0x10;
  private static final int FORMAT_2 = 0x02;
  private static final int THIRD_PARTY_COPY = 0x08;
  private static final int CMDQUE = 0x02;
  private static final int VENDOR_OFFSET = 8;
  private static final int PRODUCT_OFFSET = 16;
  private static final int PRODUCT_LENGTH = 16;
  private static final int REVISION_OFFSET = 32;
  private static final String REVISION = "0001";
  private static final int VERSION_DESCRIPTORS_OFFSET = 58;

  /// The version descriptors of SAM-5, SPC-4, SBC-3 and iSCSI (SPC-4, table 181, and annex D.7).
  private static final List<Integer> VERSION_DESCRIPTORS = List.of(0x00A0, 0x0460, 0x04C0, 0x0960);

  private static final int EVPD = 0x01;
  private static final int EVPD_FIELD = 1;
  private static final int PAGE_FIELD = 2;
  private static final int ALLOCATION_LENGTH_FIELD = 3;

  private final byte[] standard;
  private final VitalProductData pages;

  /// Creates the command.
  ///
  /// @param peripheral the peripheral qualifier and device type
  public Inquiry(int peripheral, boolean removable, String product, VitalProductData pages) {
    this.standard = standard(peripheral, removable, product);
    this.pages = pages;
  }

  private static byte[] standard(int peripheral, boolean removable, String product) {
    ByteBuffer data = ByteBuffer.allocate(LENGTH);
    boolean copies = peripheral == DIRECT_ACCESS;
    data.put((byte) peripheral)
        .put((byte) (removable ? RMB : 0))
        .put((byte) VERSION_SPC_4)
        .put((byte) (HISUP | FORMAT_2))
        .put((byte) (LENGTH - LENGTH_UP_TO_ADDITIONAL))
        .put((byte) (copies ? THIRD_PARTY_COPY : 0))
        .put((byte) 0)
        .put((byte) CMDQUE);
    data.put(VENDOR_OFFSET, UnitIdentity.VENDOR.getBytes(StandardCharsets.US_ASCII));
    data.put(PRODUCT_OFFSET, padded(product));
    data.put(REVISION_OFFSET, REVISION.getBytes(StandardCharsets.US_ASCII));
    data.position(VERSION_DESCRIPTORS_OFFSET);
    VERSION_DESCRIPTORS.forEach(descriptor -> data.putShort(descriptor.shortValue()));
    return data.array();
  }

  /// Returns a text as 16 bytes of ASCII, left-aligned: a longer text is cut, and a shorter text is
  /// padded with spaces (SPC-4, section 4.3.1).
  private static byte[] padded(String product) {
    String filled = product + " ".repeat(PRODUCT_LENGTH);
    return filled.substring(0, PRODUCT_LENGTH).getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    int page = cdb.get(PAGE_FIELD) & 0xFF;
    int allocationLength = cdb.getShort(ALLOCATION_LENGTH_FIELD) & 0xFFFF;
    if ((cdb.get(EVPD_FIELD) & ~EVPD) != 0) {
      return Response.invalidField(EVPD_FIELD);
    }
    if ((cdb.get(EVPD_FIELD) & EVPD) == 0) {
      return page == 0
          ? ParameterData.send(task, standard, allocationLength)
          : Response.invalidField(PAGE_FIELD);
    }
    byte[] data = pages.page(page);
    return data == null
        ? Response.invalidField(PAGE_FIELD)
        : ParameterData.send(task, data, allocationLength);
  }
}
