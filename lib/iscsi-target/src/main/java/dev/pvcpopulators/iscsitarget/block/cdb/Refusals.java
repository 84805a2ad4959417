package dev.pvcpopulators.iscsitarget.block.cdb;

import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;

/// The sense data with which block commands are refused, and the CHECK CONDITION responses that
/// contain it.
public final class Refusals {
  public static final Response PARAMETER_LIST_LENGTH_ERROR = illegal(0x1A00);
  public static final Response LBA_OUT_OF_RANGE = illegal(0x2100);
  public static final Response INVALID_FIELD_IN_PARAMETER_LIST = illegal(0x2600);
  public static final Response MEDIUM_REMOVAL_PREVENTED = illegal(0x5302);
  public static final Response WRITE_PROTECTED = Response.check(SenseKey.DATA_PROTECT, 0x2700);
  public static final Response SOFTWARE_WRITE_PROTECTED =
      Response.check(SenseKey.DATA_PROTECT, 0x2702);

  public static final Sense MEDIUM_NOT_PRESENT = new Sense(SenseKey.NOT_READY, 0x3A00);
  public static final Sense INITIALIZING_COMMAND_REQUIRED = new Sense(SenseKey.NOT_READY, 0x0402);
  public static final Sense SANITIZE_IN_PROGRESS = new Sense(SenseKey.NOT_READY, 0x041B);
  public static final Sense SANITIZE_COMMAND_FAILED = new Sense(SenseKey.MEDIUM_ERROR, 0x3103);

  private static final Sense MISCOMPARE_DURING_VERIFY = new Sense(SenseKey.MISCOMPARE, 0x1D00);

  private Refusals() {}

  /// Returns MISCOMPARE DURING VERIFY OPERATION.
  ///
  /// @param offset the offset of the first byte that differs, in bytes from the beginning of the
  ///   data-out buffer
  public static Response miscompare(long offset) {
    return Response.check(MISCOMPARE_DURING_VERIFY.withInformation(offset));
  }

  private static Response illegal(int code) {
    return Response.check(SenseKey.ILLEGAL_REQUEST, code);
  }
}
