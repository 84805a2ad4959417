package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Whether the medium is in, whether the unit is started, and who keeps the medium from being taken
/// out.
final class Removal {
  private final Set<Nexus> preventing = ConcurrentHashMap.newKeySet();
  private volatile boolean ejected;
  private volatile boolean stopped;

  void prevent(Nexus nexus) {
    preventing.add(nexus);
  }

  void allow(Nexus nexus) {
    preventing.remove(nexus);
  }

  boolean prevented() {
    return !preventing.isEmpty();
  }

  boolean ejected() {
    return ejected;
  }

  void ejected(boolean out) {
    ejected = out;
  }

  boolean stopped() {
    return stopped;
  }

  void stopped(boolean on) {
    stopped = on;
  }

  /// What a reset does: nobody prevents removal any more, the unit is started. What is ejected
  /// stays so.
  void reset() {
    preventing.clear();
    stopped = false;
  }
}
