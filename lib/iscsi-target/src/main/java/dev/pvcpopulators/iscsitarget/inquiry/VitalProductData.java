package dev.pvcpopulators.iscsitarget.inquiry;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Vital product data (SPC-4, section 7.8).
public final class VitalProductData {
  private static final int SUPPORTED_PAGES = 0x00;
  private static final int UNIT_SERIAL_NUMBER = 0x80;
  private static final int DEVICE_IDENTIFICATION = 0x83;
  private static final int EXTENDED_INQUIRY = 0x86;
  private static final int MODE_PAGE_POLICY = 0x87;
  private static final int THIRD_PARTY_COPY = 0x8F;

  private static final int HEADER = 4;
  private static final int EXTENDED_INQUIRY_LENGTH = 64;
  private static final int QUEUE_TYPES_OFFSET = 5;
  private static final int HEADSUP_ORDSUP_SIMPSUP = 0x07;
  private static final int VOLATILE_CACHE_OFFSET = 6;
  private static final int V_SUP = 0x01;
  private static final int ALL_PAGES = 0x3F;
  private static final int ALL_SUBPAGES = 0xFF;

  private static final int CODE_SET_BINARY = 1;
  private static final int CODE_SET_ASCII = 2;
  private static final int TARGET_PORT_ASSOCIATION = 0x10;
  private static final int PIV = 0x80;
  private static final int ISCSI_PROTOCOL = 0x50;

  private final int peripheral;
  private final NavigableMap<Integer, Supplier<byte[]>> pages = new TreeMap<>();

  /// Creates the pages of a unit that is not a block device: only the list of supported pages.
  ///
  /// @param peripheral the peripheral qualifier and device type
  public VitalProductData(int peripheral) {
    this.peripheral = peripheral;
    pages.put(SUPPORTED_PAGES, this::supportedPages);
  }

  /// Creates the pages of a block device.
  ///
  /// @param thirdPartyCopy the content of the third-party copy page
  public VitalProductData(UnitIdentity identity, BlockDevice block, byte[] thirdPartyCopy) {
    this(Inquiry.DIRECT_ACCESS);
    byte[] serialNumber = identity.serialNumber().getBytes(StandardCharsets.US_ASCII);
    pages.put(UNIT_SERIAL_NUMBER, () -> page(UNIT_SERIAL_NUMBER, serialNumber));
    byte[] designators = designators(identity);
    pages.put(DEVICE_IDENTIFICATION, () -> page(DEVICE_IDENTIFICATION, designators));
    pages.put(EXTENDED_INQUIRY, this::extendedInquiry);
    pages.put(MODE_PAGE_POLICY, this::modePagePolicy);
    byte[] copies = thirdPartyCopy.clone();
    pages.put(THIRD_PARTY_COPY, () -> page(THIRD_PARTY_COPY, copies));
    for (int code : block.pages()) {
      pages.put(code, () -> block.page(code));
    }
  }

  /// Returns a page with its header.
  ///
  /// @return the page; null if there is no page with the given code
  byte @Nullable [] page(int code) {
    Supplier<byte[]> page = pages.get(code);
    return page == null ? null : page.get();
  }

  private byte[] page(int code, byte[] content) {
    return ByteBuffer.allocate(HEADER + content.length)
        .put((byte) peripheral)
        .put((byte) code)
        .putShort((short) content.length)
        .put(content)
        .array();
  }

  private byte[] supportedPages() {
    byte[] codes = new byte[pages.size()];
    int count = 0;
    for (int code : pages.keySet()) {
      codes[count++] = (byte) code;
    }
    return page(SUPPORTED_PAGES, codes);
  }

  /// Returns the designators (table 536): the NAA designator and the T10 vendor ID based designator
  /// of the logical unit, and the relative target port identifier.
  private static byte[] designators(UnitIdentity identity) {
    byte[] naa = identity.naa();
    byte[] t10 = identity.t10VendorId();
    ByteBuffer list = ByteBuffer.allocate(3 * HEADER + naa.length + t10.length + Integer.BYTES);
    list.put((byte) CODE_SET_BINARY).put((byte) DesignatorType.NAA).put((byte) 0);
    list.put((byte) naa.length).put(naa);
    list.put((byte) CODE_SET_ASCII).put((byte) DesignatorType.T10_VENDOR_ID).put((byte) 0);
    list.put((byte) t10.length).put(t10);
    list.put((byte) (ISCSI_PROTOCOL | CODE_SET_BINARY));
    list.put((byte) (PIV | TARGET_PORT_ASSOCIATION | DesignatorType.RELATIVE_TARGET_PORT));
    list.put((byte) 0).put((byte) Integer.BYTES).putInt(Nexus.RELATIVE_TARGET_PORT);
    return list.array();
  }

  /// Returns the extended INQUIRY data page (table 545).
  private byte[] extendedInquiry() {
    byte[] content = new byte[EXTENDED_INQUIRY_LENGTH - HEADER];
    content[QUEUE_TYPES_OFFSET - HEADER] = HEADSUP_ORDSUP_SIMPSUP;
    content[VOLATILE_CACHE_OFFSET - HEADER] = V_SUP;
    return page(EXTENDED_INQUIRY, content);
  }

  /// Returns the mode page policy page (table 555). It reports that all nexuses share all mode
  /// pages.
  private byte[] modePagePolicy() {
    return page(MODE_PAGE_POLICY, new byte[] {ALL_PAGES, (byte) ALL_SUBPAGES, 0, 0});
  }
}
