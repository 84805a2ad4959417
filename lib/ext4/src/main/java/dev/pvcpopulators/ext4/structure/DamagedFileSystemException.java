package dev.pvcpopulators.ext4.structure;

import java.io.IOException;

/// Reports that the device contains a structure which this library never writes.
public final class DamagedFileSystemException extends IOException {
  private static final long serialVersionUID = 1;

  /// Creates an exception for a structure in a known block.
  ///
  /// @param structure the structure that was read, such as `extent node`
  /// @param block the number of the block that contains the structure
  /// @param reason what was expected and what was found
  public DamagedFileSystemException(String structure, long block, String reason) {
    super(structure + " in block " + block + ": " + reason);
  }

  /// Creates an exception for a structure whose block is not known.
  ///
  /// @param structure the structure that was read, such as `inode`
  /// @param reason what was expected and what was found
  public DamagedFileSystemException(String structure, String reason) {
    super(structure + ": " + reason);
  }
}
