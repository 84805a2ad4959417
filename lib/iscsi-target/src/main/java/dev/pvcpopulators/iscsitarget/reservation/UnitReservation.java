package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import org.jspecify.annotations.Nullable;

/// The reservation by RESERVE and RELEASE (SPC-2, sections 7.16 and 7.21): of the whole logical
/// unit by one nexus, until the nexus releases it, its session ends, or the unit is reset.
/// Thread-safe.
public final class UnitReservation {
  private volatile @Nullable Nexus holder;

  /// Reserves the unit for a nexus.
  ///
  /// @return false if another nexus holds it
  public synchronized boolean reserve(Nexus nexus) {
    if (heldByOther(nexus)) {
      return false;
    }
    holder = nexus;
    return true;
  }

  /// Releases the reservation of the nexus. Does nothing if the nexus has none, which is not an
  /// error.
  public synchronized void release(Nexus nexus) {
    if (holder == nexus) {
      holder = null;
    }
  }

  /// Clears the reservation after a reset.
  public void clear() {
    holder = null;
  }

  public boolean held() {
    return holder != null;
  }

  public boolean heldByOther(Nexus nexus) {
    Nexus now = holder;
    return now != null && now != nexus;
  }
}
