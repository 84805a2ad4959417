package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The storage below a medium has no room for what was written (ENOSPC, EDQUOT). What was there
/// before is as it was.
public final class MediumFullException extends IOException {
  private static final long serialVersionUID = 1L;

  public MediumFullException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
