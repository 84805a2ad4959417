package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;

/// A requested range has not arrived: wait for the future of [Medium#arrival], or try again later.
public final class NotArrivedException extends IOException {
  private static final long serialVersionUID = 1L;

  /// Creates an exception for a range.
  ///
  /// @param offset in bytes
  /// @param length in bytes
  public NotArrivedException(long offset, long length) {
    super("Bytes " + offset + " to " + (offset + length) + " have not arrived yet");
  }
}
