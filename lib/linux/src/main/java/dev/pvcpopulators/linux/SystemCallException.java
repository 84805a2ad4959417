package dev.pvcpopulators.linux;

import java.io.IOException;

/// Thrown if a system call fails; contains the action, the file and the error number.
public final class SystemCallException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  SystemCallException(String action, String path, int errno) {
    super("Cannot " + action + " " + path + ": " + Errno.describe(errno));
    this.errno = errno;
  }

  /// Returns whether the volume has no space left, or a quota is exhausted.
  public boolean full() {
    return is(Errno.ENOSPC, Errno.EDQUOT);
  }

  /// Returns whether the file would exceed the maximum size of a file.
  public boolean tooLarge() {
    return is(Errno.EFBIG);
  }

  /// Returns whether the device is in use: it is mounted, or otherwise claimed exclusively.
  public boolean busy() {
    return is(Errno.EBUSY);
  }

  /// Returns whether access is denied: by permissions or another rule, or because the file system
  /// is read-only.
  public boolean denied() {
    return is(Errno.EPERM, Errno.EACCES, Errno.EROFS);
  }

  /// Returns whether the file system is read-only, either because of its mount options or because
  /// of an error. [Mount#readOnly] distinguishes the two cases.
  public boolean readOnly() {
    return is(Errno.EROFS);
  }

  /// Returns whether the storage failed: for example, a device does not respond, or a file system
  /// is damaged or gone.
  public boolean storageFailed() {
    return is(
        Errno.EIO,
        Errno.ENXIO,
        Errno.ENODEV,
        Errno.ETIMEDOUT,
        Errno.ESTALE,
        Errno.EUCLEAN,
        Errno.EREMOTEIO);
  }

  public boolean alreadyExists() {
    return is(Errno.EEXIST);
  }

  /// Returns whether the name does not exist.
  public boolean missing() {
    return is(Errno.ENOENT);
  }

  private boolean is(Errno... errors) {
    return Errno.any(-errno, errors);
  }
}
