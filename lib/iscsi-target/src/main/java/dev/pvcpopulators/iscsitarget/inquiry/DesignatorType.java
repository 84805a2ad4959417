package dev.pvcpopulators.iscsitarget.inquiry;

/// Values of the DESIGNATOR TYPE field (SPC-4, table 539).
final class DesignatorType {
  static final int T10_VENDOR_ID = 1;
  static final int NAA = 3;
  static final int RELATIVE_TARGET_PORT = 4;

  private DesignatorType() {}
}
