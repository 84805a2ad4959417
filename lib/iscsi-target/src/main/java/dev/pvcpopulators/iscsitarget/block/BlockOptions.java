package dev.pvcpopulators.iscsitarget.block;

/// What kind of block device a medium is shown as.
///
/// @param writeProtected no command may change it: the WP bit is set, writes end with DATA PROTECT,
///   WRITE PROTECTED
/// @param removable shown as a removable medium (RMB) that can be ejected and loaded again
/// @param writeCache whether the write cache (WCE) is on at first: a write is stable after
///   SYNCHRONIZE CACHE, or at once where it is off
public record BlockOptions(boolean writeProtected, boolean removable, boolean writeCache) {
  /// A disk that can be written, with a cache.
  public static BlockOptions disk() {
    return new BlockOptions(false, false, true);
  }
}
