package dev.pvcpopulators.iscsitarget.block;

/// What kind of block device a medium is shown as.
///
/// @param writeProtected no command may change it: the WP bit is set, writes end with DATA PROTECT,
///   WRITE PROTECTED
/// @param removable shown as a removable medium (RMB) that can be ejected and loaded again
/// @param writeCache whether the write cache (WCE) is on at first: a write is stable after
///   SYNCHRONIZE CACHE, or at once where it is off
/// @param sanitizeRate bytes a second that an overwriting SANITIZE writes at most, so that it
///   leaves storage that is shared to others; 0 for as many as it can
public record BlockOptions(
    boolean writeProtected, boolean removable, boolean writeCache, long sanitizeRate) {
  public BlockOptions {
    if (sanitizeRate < 0) {
      throw new IllegalArgumentException("A rate of " + sanitizeRate + " bytes a second");
    }
  }

  /// Sanitized as fast as the storage is.
  public BlockOptions(boolean writeProtected, boolean removable, boolean writeCache) {
    this(writeProtected, removable, writeCache, 0);
  }

  /// A disk that can be written, with a cache.
  public static BlockOptions disk() {
    return new BlockOptions(false, false, true);
  }
}
