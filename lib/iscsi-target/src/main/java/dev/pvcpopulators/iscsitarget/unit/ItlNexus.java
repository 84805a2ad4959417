package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.copy.CopyResults;
import dev.pvcpopulators.iscsitarget.inquiry.LunInventory;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/// An I_T_L nexus (SAM-5, section 4.7.3): the state that a logical unit keeps for one [Nexus],
/// including the pending unit attentions. Each [UnitAttention] constant is pending at most once, so
/// the number of pending unit attentions is bounded. Thread-safe; [#hasAttention] takes no lock.
final class ItlNexus {
  private final Nexus nexus;
  private final LogicalUnit unit;
  private final LunInventory inventory;
  private final CopyResults copyResults = new CopyResults();

  /// The pending unit attentions in the order of the enum, which is the order of importance.
  private final EnumSet<UnitAttention> pending = EnumSet.of(UnitAttention.POWER_ON_OR_RESET);

  private volatile boolean attention = true;

  ItlNexus(Nexus nexus, LogicalUnit unit, LunInventory inventory) {
    this.nexus = nexus;
    this.unit = unit;
    this.inventory = inventory;
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

  CopyResults copyResults() {
    return copyResults;
  }

  /// Adds a unit attention. If several pending unit attentions report a reset, only the most
  /// important of these is kept.
  synchronized void attend(UnitAttention condition) {
    pending.add(condition);
    UnitAttention first = pending.iterator().next();
    pending.removeIf(each -> each.reset() && each != first);
    attention = true;
  }

  /// Returns whether a unit attention is pending.
  boolean hasAttention() {
    return attention;
  }

  /// Removes and returns the most important unit attention; null if there is none.
  synchronized @Nullable UnitAttention pollAttention() {
    if (pending.isEmpty()) {
      return null;
    }
    UnitAttention first = pending.iterator().next();
    clearAttention(first);
    return first;
  }

  /// Removes a unit attention; does nothing if it is not pending.
  synchronized void clearAttention(UnitAttention condition) {
    pending.remove(condition);
    attention = !pending.isEmpty();
  }
}
