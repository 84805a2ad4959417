package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;

/// Written data could not be brought to stable storage: it is unknown which of it is there, and
/// later reads may return other data.
public final class StorageLostException extends IOException {
  private static final long serialVersionUID = 1L;

  StorageLostException(IOException cause) {
    super("What was written may not be on the storage: " + cause.getMessage(), cause);
  }
}
