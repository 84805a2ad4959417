package dev.pvcpopulators.linux;

import java.io.IOException;

/// A system call failed: which action, on which file, with which error number.
public final class SystemCallException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  SystemCallException(String action, String path, int errno) {
    super("Cannot " + action + " " + path + ": " + Errno.describe(errno));
    this.errno = errno;
  }

  /// The volume has no space left, or a quota is used up.
  public boolean full() {
    return errno == Errno.ENOSPC || errno == Errno.EDQUOT;
  }

  /// The file system does not make files as large as that.
  public boolean tooLarge() {
    return errno == Errno.EFBIG;
  }

  /// Somebody else has it: a mounted device, or one that another process opened exclusively.
  public boolean busy() {
    return errno == Errno.EBUSY;
  }

  /// It is not for us to do: by its owner and mode, or because nobody can write there.
  public boolean denied() {
    return errno == Errno.EPERM || errno == Errno.EACCES || readOnly();
  }

  /// Nobody can write there: it was mounted so, or has turned so ([Mount#readOnly]).
  public boolean readOnly() {
    return errno == Errno.EROFS;
  }

  /// The storage failed: a device that does not answer, a file system that is damaged or gone.
  public boolean storageFailed() {
    return switch (errno) {
      case Errno.EIO,
          Errno.ENXIO,
          Errno.ENODEV,
          Errno.ETIMEDOUT,
          Errno.ESTALE,
          Errno.EUCLEAN,
          Errno.EREMOTEIO ->
          true;
      default -> false;
    };
  }

  public boolean alreadyExists() {
    return errno == Errno.EEXIST;
  }

  /// There is nothing of that name.
  public boolean missing() {
    return errno == Errno.ENOENT;
  }
}
