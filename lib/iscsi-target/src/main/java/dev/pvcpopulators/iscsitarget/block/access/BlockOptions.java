package dev.pvcpopulators.iscsitarget.block.access;

/// The options with which a medium is presented as a block device.
///
/// @param writeProtected whether the medium is protected against changes by commands. If it is
///   protected, the WP bit is set, and writes end with DATA PROTECT, WRITE PROTECTED
/// @param removable whether the medium is removable (RMB): it can be ejected and loaded again
/// @param writeCache whether the write cache (WCE) is on initially. If it is on, SYNCHRONIZE CACHE
///   flushes written data to stable storage; if it is off, the data of a write is on stable storage
///   before the status of the write is sent
public record BlockOptions(boolean writeProtected, boolean removable, boolean writeCache) {
  /// Returns the options of a writable disk that is not removable and whose write cache is on.
  public static BlockOptions disk() {
    return new BlockOptions(false, false, true);
  }
}
