package dev.pvcpopulators.iscsitarget.medium;

import dev.pvcpopulators.linux.SystemCallException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The storage of a medium has no room for a write (ENOSPC, EDQUOT). The write may have stored a
/// part of its data.
public final class MediumFullException extends IOException {
  private static final long serialVersionUID = 1L;

  public MediumFullException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /// Returns the exception to throw for a failed system call: a `MediumFullException` if the
  /// storage is full, else the given exception.
  public static IOException orSame(SystemCallException e) {
    return e.full() ? new MediumFullException(String.valueOf(e.getMessage()), e) : e;
  }
}
