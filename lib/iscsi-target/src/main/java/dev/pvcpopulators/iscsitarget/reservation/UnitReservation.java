package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import org.jspecify.annotations.Nullable;

/// The reservation by RESERVE and RELEASE (SPC-2, sections 7.16 and 7.21): of the whole logical
/// unit, by a nexus, until it releases it, its session ends or a reset. Thread-safe.
public final class UnitReservation {
  private volatile @Nullable Nexus holder;

  /// Reserves the unit for a nexus.
  ///
  /// @return false where another nexus has it
  public synchronized boolean reserve(Nexus nexus) {
    if (heldByOther(nexus)) {
      return false;
    }
    holder = nexus;
    return true;
  }

  /// Releases what the nexus holds; nothing where it holds none, which is no error.
  public synchronized void release(Nexus nexus) {
    if (holder == nexus) {
      holder = null;
    }
  }

  /// A reset.
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
