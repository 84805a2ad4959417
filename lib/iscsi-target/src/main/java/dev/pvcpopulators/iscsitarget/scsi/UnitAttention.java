package dev.pvcpopulators.iscsitarget.scsi;

/// A condition that a logical unit reports to a nexus (SAM-5, section 5.14). If the next command of
/// the nexus for the unit does not ignore unit attentions ([CommandEntry#ignoresAttention]), the
/// command does not run, and ends with this condition. The constants are in descending order of
/// importance.
public enum UnitAttention {
  POWER_ON_OR_RESET(0x2900),
  SCSI_BUS_RESET(0x2902),
  BUS_DEVICE_RESET_FUNCTION(0x2903),
  RESERVATIONS_PREEMPTED(0x2A03),
  RESERVATIONS_RELEASED(0x2A04),
  REGISTRATIONS_PREEMPTED(0x2A05),
  COMMANDS_CLEARED_BY_ANOTHER_INITIATOR(0x2F00),
  MODE_PARAMETERS_CHANGED(0x2A01),
  REPORTED_LUNS_DATA_CHANGED(0x3F0E);

  private final int code;

  UnitAttention(int code) {
    this.code = code;
  }

  public Sense sense() {
    return new Sense(SenseKey.UNIT_ATTENTION, code);
  }

  /// Returns whether the condition reports a reset. If several pending conditions report a reset,
  /// only the most important of these is kept (SAM-5, section 5.14.4).
  public boolean reset() {
    return compareTo(BUS_DEVICE_RESET_FUNCTION) <= 0;
  }
}
