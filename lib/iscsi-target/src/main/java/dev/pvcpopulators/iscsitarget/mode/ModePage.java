package dev.pvcpopulators.iscsitarget.mode;

/// The supported mode pages (SPC-4, section 7.5; SBC-3, section 6.5), in ascending order of page
/// code and subpage code.
enum ModePage {
  READ_WRITE_ERROR_RECOVERY(0x01, 0x00, 12),
  CACHING(0x08, 0x00, 20),
  CONTROL(0x0A, 0x00, 12),
  CONTROL_EXTENSION(0x0A, 0x01, 32),
  INFORMATIONAL_EXCEPTIONS_CONTROL(0x1C, 0x00, 12);

  /// The SPF bit: if this bit is set, the page has the subpage format, and its header has four
  /// bytes.
  static final int SPF = 0x40;

  private static final int WCE_OFFSET = 2;
  private static final int WCE = 0x04;
  private static final int GLTSD_OFFSET = 2;
  private static final int GLTSD = 0x02;
  private static final int QUEUE_ALGORITHM_OFFSET = 3;
  private static final int UNRESTRICTED_REORDERING = 0x10;
  private static final int SWP_OFFSET = 4;
  private static final int SWP = 0x08;
  private static final int TAS_OFFSET = 5;
  private static final int TAS = 0x40;
  private static final int BUSY_TIMEOUT_OFFSET = 8;
  private static final int DEXCPT_OFFSET = 2;
  private static final int DEXCPT = 0x08;

  private final int code;
  private final int subpage;
  private final int length;

  ModePage(int code, int subpage, int length) {
    this.code = code;
    this.subpage = subpage;
    this.length = length;
  }

  int code() {
    return code;
  }

  int subpage() {
    return subpage;
  }

  /// Returns the length in bytes, including the header.
  int length() {
    return length;
  }

  /// Returns the page with the given values.
  byte[] with(ModeParameters values) {
    byte[] page = empty();
    switch (this) {
      case READ_WRITE_ERROR_RECOVERY, CONTROL_EXTENSION -> {
        // All fields after the header are zeros.
      }
      case CACHING -> page[WCE_OFFSET] = (byte) (values.writeCache() ? WCE : 0);
      case CONTROL -> {
        page[GLTSD_OFFSET] = GLTSD;
        page[QUEUE_ALGORITHM_OFFSET] = UNRESTRICTED_REORDERING;
        page[SWP_OFFSET] = (byte) (values.softwareWriteProtect() ? SWP : 0);
        page[TAS_OFFSET] = (byte) (values.taskAbortedStatus() ? TAS : 0);
        // FFFFh means that the unit may be busy for an unlimited time.
        page[BUSY_TIMEOUT_OFFSET] = (byte) 0xFF;
        page[BUSY_TIMEOUT_OFFSET + 1] = (byte) 0xFF;
      }
      case INFORMATIONAL_EXCEPTIONS_CONTROL -> page[DEXCPT_OFFSET] = DEXCPT;
    }
    return page;
  }

  /// Returns the page with ones for the bits that MODE SELECT may change.
  byte[] changeable() {
    byte[] page = empty();
    switch (this) {
      case READ_WRITE_ERROR_RECOVERY, CONTROL_EXTENSION, INFORMATIONAL_EXCEPTIONS_CONTROL -> {
        // No changeable bits.
      }
      case CACHING -> page[WCE_OFFSET] = WCE;
      case CONTROL -> {
        page[SWP_OFFSET] = SWP;
        page[TAS_OFFSET] = TAS;
      }
    }
    return page;
  }

  /// Reads the values that this page holds.
  ///
  /// @param page the bytes of the page, including the header; exactly [#length] bytes
  /// @param before supplies the values that this page does not hold
  ModeParameters read(byte[] page, ModeParameters before) {
    return switch (this) {
      case READ_WRITE_ERROR_RECOVERY, CONTROL_EXTENSION, INFORMATIONAL_EXCEPTIONS_CONTROL -> before;
      case CACHING ->
          new ModeParameters(
              (page[WCE_OFFSET] & WCE) != 0,
              before.softwareWriteProtect(),
              before.taskAbortedStatus());
      case CONTROL ->
          new ModeParameters(
              before.writeCache(), (page[SWP_OFFSET] & SWP) != 0, (page[TAS_OFFSET] & TAS) != 0);
    };
  }

  private byte[] empty() {
    byte[] page = new byte[length];
    if (subpage == 0) {
      page[0] = (byte) code;
      page[1] = (byte) (length - 2);
    } else {
      page[0] = (byte) (SPF | code);
      page[1] = (byte) subpage;
      page[2 + 1] = (byte) (length - Integer.BYTES);
    }
    return page;
  }
}
