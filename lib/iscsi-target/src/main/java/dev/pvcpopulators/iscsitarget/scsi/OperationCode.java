package dev.pvcpopulators.iscsitarget.scsi;

/// The operation codes that other classes refer to by name (SPC-4, annex D.3).
public final class OperationCode {
  public static final int TEST_UNIT_READY = 0x00;
  public static final int REQUEST_SENSE = 0x03;
  public static final int READ_6 = 0x08;
  public static final int WRITE_6 = 0x0A;
  public static final int INQUIRY = 0x12;
  public static final int RESERVE_6 = 0x16;
  public static final int RELEASE_6 = 0x17;
  public static final int START_STOP_UNIT = 0x1B;
  public static final int PREVENT_ALLOW_MEDIUM_REMOVAL = 0x1E;
  public static final int READ_CAPACITY_10 = 0x25;
  public static final int READ_10 = 0x28;
  public static final int WRITE_10 = 0x2A;
  public static final int WRITE_AND_VERIFY_10 = 0x2E;
  public static final int LOG_SENSE = 0x4D;
  public static final int RESERVE_10 = 0x56;
  public static final int RELEASE_10 = 0x57;
  public static final int PERSISTENT_RESERVE_IN = 0x5E;
  public static final int PERSISTENT_RESERVE_OUT = 0x5F;
  public static final int THIRD_PARTY_COPY_OUT = 0x83;
  public static final int THIRD_PARTY_COPY_IN = 0x84;
  public static final int READ_16 = 0x88;
  public static final int WRITE_16 = 0x8A;
  public static final int WRITE_AND_VERIFY_16 = 0x8E;
  public static final int WRITE_ATOMIC_16 = 0x9C;
  public static final int SERVICE_ACTION_IN_16 = 0x9E;
  public static final int REPORT_LUNS = 0xA0;
  public static final int MAINTENANCE_IN = 0xA3;
  public static final int READ_12 = 0xA8;
  public static final int WRITE_12 = 0xAA;
  public static final int WRITE_AND_VERIFY_12 = 0xAE;

  /// Service action of [#SERVICE_ACTION_IN_16].
  public static final int READ_CAPACITY_16_ACTION = 0x10;

  private OperationCode() {}
}
