package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import java.io.IOException;

/// The mode parameters of a logical unit, one set for all nexuses; not saved. Thread-safe.
final class ModeState {
  private final BlockDevice block;
  private final ModeParameters defaults;
  private volatile ModeParameters current;

  ModeState(BlockDevice block) {
    this.block = block;
    this.defaults = new ModeParameters(block.options().writeCache(), false, false);
    this.current = defaults;
  }

  ModeParameters current() {
    return current;
  }

  ModeParameters defaults() {
    return defaults;
  }

  /// Takes over new values. A write cache that is turned off is emptied first (SBC-3, section
  /// 6.5.5).
  ///
  /// @return whether something is different now
  synchronized boolean change(ModeParameters next) throws IOException {
    if (next.equals(current)) {
      return false;
    }
    block.writeCache(next.writeCache());
    if (current.writeCache() && !next.writeCache() && block.medium().writable()) {
      block.medium().flush();
    }
    block.softwareWriteProtect(next.softwareWriteProtect());
    current = next;
    return true;
  }

  /// After a reset of the block device.
  synchronized void reset() {
    current = defaults;
  }
}
