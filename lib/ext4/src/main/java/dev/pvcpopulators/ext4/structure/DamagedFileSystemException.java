package dev.pvcpopulators.ext4.structure;

import java.io.IOException;

/// What is on the device is not what this library writes.
public final class DamagedFileSystemException extends IOException {
  private static final long serialVersionUID = 1;

  /// Says where it is.
  ///
  /// @param structure what was read: `extent node`
  /// @param block where it lies
  /// @param reason expected and found
  public DamagedFileSystemException(String structure, long block, String reason) {
    super(structure + " in block " + block + ": " + reason);
  }

  /// Says what it is, where nobody knows the block.
  ///
  /// @param structure what was read: `inode`
  /// @param reason expected and found
  public DamagedFileSystemException(String structure, String reason) {
    super(structure + ": " + reason);
  }
}
