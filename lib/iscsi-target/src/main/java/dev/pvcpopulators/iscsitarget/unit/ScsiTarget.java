package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/// A SCSI target device with one target port: which logical units an initiator sees, and where its
/// commands go. Thread-safe.
@SuppressWarnings({"DoNotCallSuggester", "DoNotCall"}) // until it is written
public final class ScsiTarget {
  /// Offers a logical unit. Other nexuses that see it hear of it by the unit attention 3Fh/0Eh,
  /// REPORTED LUNS DATA HAS CHANGED.
  ///
  /// @param lun 0 to 16,383
  /// @param visible which initiators see it; to others it does not exist
  /// @param unit gives the logical unit that a nexus sees there: for most the same to all; called
  ///   once a nexus, when it first addresses it
  /// @throws IllegalArgumentException where the number is taken
  public void add(int lun, Predicate<Nexus> visible, Function<Nexus, LogicalUnit> unit) {
    throw new UnsupportedOperationException();
  }

  /// Offers it no longer, aborts what runs there. The caller closes the units.
  public void remove(int lun) {
    throw new UnsupportedOperationException();
  }

  /// The numbers that a nexus sees, ascending.
  public List<Integer> luns(Nexus nexus) {
    throw new UnsupportedOperationException();
  }

  /// A session began: its nexus gets the unit attention 29h/00h on each logical unit.
  public void attach(Nexus nexus) {
    throw new UnsupportedOperationException();
  }

  /// A session ended: aborts its tasks, releases RESERVE(6) and what WRITE_EXCLUSIVE holds.
  ///
  /// @param loggedOut false where the session was lost: WRITE_EXCLUSIVE then stays for a while
  public void detach(Nexus nexus, boolean loggedOut) {
    throw new UnsupportedOperationException();
  }

  /// Finds out what a command is and where it goes. The command is in the task set from here on,
  /// until [DispatchedCommand#run] returns or [DispatchedCommand#drop] is called.
  ///
  /// @param task its CDB, nexus and attribute are asked for
  /// @param lun the 8 bytes of the PDU's LUN field (SAM-5, section 4.7)
  public DispatchedCommand dispatch(Task task, long lun) {
    throw new UnsupportedOperationException();
  }

  /// Task management that concerns more than one task (SAM-5, section 7); ABORT TASK is the
  /// session's own affair.
  public TaskManagementAnswer manage(Nexus nexus, TaskManagement function, long lun) {
    throw new UnsupportedOperationException();
  }
}
