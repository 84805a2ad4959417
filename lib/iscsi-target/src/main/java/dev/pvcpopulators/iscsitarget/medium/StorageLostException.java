package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;

/// What was written could not be brought to stable storage: nobody knows which of it is there, and
/// what is read later may be something else.
public final class StorageLostException extends IOException {
  private static final long serialVersionUID = 1L;

  StorageLostException(IOException cause) {
    super("What was written may not be on the storage: " + cause.getMessage(), cause);
  }
}
