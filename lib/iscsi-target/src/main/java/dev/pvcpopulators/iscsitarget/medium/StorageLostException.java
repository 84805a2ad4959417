package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;

/// Written data could not be flushed to stable storage. It is unknown which data is on the storage,
/// and later reads may return data that differs from the written data.
public final class StorageLostException extends IOException {
  private static final long serialVersionUID = 1L;

  StorageLostException(IOException cause) {
    super("Written data may not be on the storage: " + cause.getMessage(), cause);
  }
}
