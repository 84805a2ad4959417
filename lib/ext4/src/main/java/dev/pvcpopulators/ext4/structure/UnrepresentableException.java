package dev.pvcpopulators.ext4.structure;

import java.io.IOException;

/// An entry that ext4 cannot represent: a name that is too long, more extended attributes than a
/// block holds, more than 65,000 names for a file.
public final class UnrepresentableException extends IOException {
  private static final long serialVersionUID = 1;

  /// Creates an exception.
  ///
  /// @param message what was found and expected, with the entry if it is known
  public UnrepresentableException(String message) {
    super(message);
  }
}
