package dev.pvcpopulators.iscsitarget.medium;

import dev.pvcpopulators.linux.SystemCallException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The storage of a medium has no room for a write (ENOSPC, EDQUOT). The former content is
/// unchanged.
public final class MediumFullException extends IOException {
  private static final long serialVersionUID = 1L;

  public MediumFullException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /// Returns the exception to throw for a failed system call: this one if the storage is full.
  public static IOException orSame(SystemCallException e) {
    return e.full() ? new MediumFullException(String.valueOf(e.getMessage()), e) : e;
  }
}
