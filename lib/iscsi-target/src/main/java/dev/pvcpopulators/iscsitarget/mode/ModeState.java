package dev.pvcpopulators.iscsitarget.mode;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import java.io.IOException;

/// The mode parameters of a logical unit. All nexuses share one set of values. The values are not
/// saved. Thread-safe.
public final class ModeState {
  private final BlockDevice block;
  private final ModeParameters defaults;
  private volatile ModeParameters current;

  public ModeState(BlockDevice block) {
    this.block = block;
    this.defaults = new ModeParameters(block.options().writeCache(), false, false);
    this.current = defaults;
  }

  public ModeParameters current() {
    return current;
  }

  ModeParameters defaults() {
    return defaults;
  }

  /// Applies new values. If the write cache is turned off, its data is flushed before this method
  /// returns (SBC-3, section 6.5.5).
  ///
  /// @return whether a value changed
  /// @throws IOException if the cache cannot be flushed; then no value has changed
  synchronized boolean change(ModeParameters next) throws IOException {
    if (next.equals(current)) {
      return false;
    }
    block.writeCache(next.writeCache());
    if (current.writeCache() && !next.writeCache() && block.medium().writable()) {
      try {
        block.medium().flush();
      } catch (IOException | RuntimeException e) {
        block.writeCache(true);
        throw e;
      }
    }
    block.softwareWriteProtect(next.softwareWriteProtect());
    current = next;
    return true;
  }

  /// Resets the block device and restores the defaults. No other thread changes values between
  /// these two steps. Otherwise the block device could stay write-protected by SWP although the
  /// mode page reports that SWP is off.
  public synchronized void reset() {
    block.reset();
    current = defaults;
  }
}
