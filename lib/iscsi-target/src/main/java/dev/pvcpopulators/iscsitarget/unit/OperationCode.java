package dev.pvcpopulators.iscsitarget.unit;

/// Operation codes that a logical unit itself has to tell apart (SPC-4, annex D.3).
final class OperationCode {
  static final int TEST_UNIT_READY = 0x00;
  static final int REQUEST_SENSE = 0x03;
  static final int READ_6 = 0x08;
  static final int WRITE_6 = 0x0A;
  static final int INQUIRY = 0x12;
  static final int MODE_SELECT_6 = 0x15;
  static final int RESERVE_6 = 0x16;
  static final int RELEASE_6 = 0x17;
  static final int MODE_SENSE_6 = 0x1A;
  static final int START_STOP_UNIT = 0x1B;
  static final int SEND_DIAGNOSTIC = 0x1D;
  static final int PREVENT_ALLOW_MEDIUM_REMOVAL = 0x1E;
  static final int READ_CAPACITY_10 = 0x25;
  static final int READ_10 = 0x28;
  static final int WRITE_10 = 0x2A;
  static final int WRITE_AND_VERIFY_10 = 0x2E;
  static final int LOG_SENSE = 0x4D;
  static final int MODE_SELECT_10 = 0x55;
  static final int RESERVE_10 = 0x56;
  static final int RELEASE_10 = 0x57;
  static final int MODE_SENSE_10 = 0x5A;
  static final int PERSISTENT_RESERVE_IN = 0x5E;
  static final int PERSISTENT_RESERVE_OUT = 0x5F;
  static final int THIRD_PARTY_COPY_OUT = 0x83;
  static final int THIRD_PARTY_COPY_IN = 0x84;
  static final int READ_16 = 0x88;
  static final int WRITE_16 = 0x8A;
  static final int WRITE_AND_VERIFY_16 = 0x8E;
  static final int WRITE_ATOMIC_16 = 0x9C;
  static final int SERVICE_ACTION_IN_16 = 0x9E;
  static final int REPORT_LUNS = 0xA0;
  static final int MAINTENANCE_IN = 0xA3;
  static final int READ_12 = 0xA8;
  static final int WRITE_12 = 0xAA;
  static final int WRITE_AND_VERIFY_12 = 0xAE;

  /// Service action of [#SERVICE_ACTION_IN_16].
  static final int READ_CAPACITY_16_ACTION = 0x10;

  private OperationCode() {}
}
