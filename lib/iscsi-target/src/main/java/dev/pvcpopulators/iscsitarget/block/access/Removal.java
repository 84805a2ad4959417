package dev.pvcpopulators.iscsitarget.block.access;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The state of a removable medium: whether it is loaded, whether the unit is started, and which
/// nexuses prevent its removal.
public final class Removal {
  private final Set<Nexus> preventing = ConcurrentHashMap.newKeySet();
  private volatile boolean ejected;
  private volatile boolean stopped;

  public void prevent(Nexus nexus) {
    preventing.add(nexus);
  }

  public void allow(Nexus nexus) {
    preventing.remove(nexus);
  }

  public boolean prevented() {
    return !preventing.isEmpty();
  }

  public boolean ejected() {
    return ejected;
  }

  public void ejected(boolean out) {
    ejected = out;
  }

  public boolean stopped() {
    return stopped;
  }

  public void stopped(boolean on) {
    stopped = on;
  }

  /// Applies a reset: ends all prevention of removal and starts the unit. An ejected medium stays
  /// ejected.
  public void reset() {
    preventing.clear();
    stopped = false;
  }
}
