package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.util.List;

/// What REPORT LUNS tells: a target as one of its logical units sees it.
interface LunInventory {
  /// The numbers that a nexus sees, ascending.
  List<Integer> luns(Nexus nexus);

  /// A nexus has been told them: takes back the unit attention that they changed (SPC-4, section
  /// 6.33).
  void reported(Nexus nexus);
}
