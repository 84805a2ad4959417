package dev.pvcpopulators.iscsitarget.inquiry;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.util.List;

/// The logical unit numbers of a target, for REPORT LUNS.
public interface LunInventory {
  /// Returns the logical unit numbers that a nexus sees, in ascending order.
  List<Integer> luns(Nexus nexus);

  /// Records that the logical unit numbers were reported to a nexus: clears the unit attention
  /// REPORTED LUNS DATA HAS CHANGED of this nexus (SPC-4, section 6.33).
  void reported(Nexus nexus);
}
