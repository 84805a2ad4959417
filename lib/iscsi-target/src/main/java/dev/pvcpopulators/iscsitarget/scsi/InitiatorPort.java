package dev.pvcpopulators.iscsitarget.scsi;

/// An iSCSI initiator port, which can have a registration and hold a persistent reservation (RFC
/// 7143, section 4.4; SPC-4, section 7.6.4.6, "TransportID for initiator ports using SCSI over
/// iSCSI").
///
/// @param initiatorName the iSCSI name, in its canonical form
/// @param isid the 48-bit initiator session identifier
public record InitiatorPort(String initiatorName, long isid) {
  /// Returns the port's name: `iqn.…,i,0x0123456789ab`.
  @Override
  public String toString() {
    return initiatorName + ",i,0x" + String.format("%012x", isid);
  }
}
