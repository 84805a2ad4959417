package dev.pvcpopulators.ext4.structure;

import java.io.IOException;

/// An entry is nothing that ext4 can hold: a name that is too long, more extended attributes than a
/// block takes, more names for a file than 65,000.
public final class UnrepresentableException extends IOException {
  private static final long serialVersionUID = 1;

  /// Says what it is about.
  ///
  /// @param message what, of which entry where it is known, expected and found
  public UnrepresentableException(String message) {
    super(message);
  }
}
