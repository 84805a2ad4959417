package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The state of a removable medium: whether it is loaded, whether the unit is started, and which
/// nexuses prevent its removal.
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

  /// Applies a reset: ends all prevention of removal and starts the unit. An ejected medium stays
  /// ejected.
  void reset() {
    preventing.clear();
    stopped = false;
  }
}
