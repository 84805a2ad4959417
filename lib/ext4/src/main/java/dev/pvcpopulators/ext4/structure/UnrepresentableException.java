package dev.pvcpopulators.ext4.structure;

import java.io.IOException;

/// Reports an entry that ext4 cannot represent: for example, an entry with more extended attributes
/// than fit into an inode and a block, or a hard link that gives a file more than 65,000 names.
public final class UnrepresentableException extends IOException {
  private static final long serialVersionUID = 1;

  /// Creates an exception.
  ///
  /// @param message the reason; also the path of the entry, if the path is known
  public UnrepresentableException(String message) {
    super(message);
  }
}
