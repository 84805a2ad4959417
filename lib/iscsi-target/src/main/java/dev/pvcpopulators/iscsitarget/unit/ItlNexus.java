package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.copy.CopyResults;
import dev.pvcpopulators.iscsitarget.inquiry.LunInventory;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;

/// An I_T_L nexus (SAM-5, section 4.7.3): the state of a logical unit for one nexus.
final class ItlNexus {
  private final Nexus nexus;
  private final LogicalUnit unit;
  private final LunInventory inventory;
  private final PendingAttentions attentions = new PendingAttentions();
  private final CopyResults copyResults = new CopyResults();

  ItlNexus(Nexus nexus, LogicalUnit unit, LunInventory inventory) {
    this.nexus = nexus;
    this.unit = unit;
    this.inventory = inventory;
    attentions.post(UnitAttention.POWER_ON_OR_RESET);
  }

  Nexus nexus() {
    return nexus;
  }

  LogicalUnit unit() {
    return unit;
  }

  LunInventory inventory() {
    return inventory;
  }

  PendingAttentions attentions() {
    return attentions;
  }

  CopyResults copyResults() {
    return copyResults;
  }
}
