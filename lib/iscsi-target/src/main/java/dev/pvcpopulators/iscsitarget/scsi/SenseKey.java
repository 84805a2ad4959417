package dev.pvcpopulators.iscsitarget.scsi;

/// Sense keys (SPC-4, table 48).
public enum SenseKey {
  NO_SENSE(0x0),
  NOT_READY(0x2),
  MEDIUM_ERROR(0x3),
  HARDWARE_ERROR(0x4),
  ILLEGAL_REQUEST(0x5),
  UNIT_ATTENTION(0x6),
  DATA_PROTECT(0x7),
  COPY_ABORTED(0xA),
  ABORTED_COMMAND(0xB),
  MISCOMPARE(0xE);

  private final int code;

  SenseKey(int code) {
    this.code = code;
  }

  /// Returns the four-bit code of the sense key.
  public int code() {
    return code;
  }
}
