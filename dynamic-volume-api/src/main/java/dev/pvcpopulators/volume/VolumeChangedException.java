package dev.pvcpopulators.volume;

/// Reports that the precondition of a deletion failed. The volume is unchanged.
public final class VolumeChangedException extends Exception {
  private static final long serialVersionUID = 1;

  private final String found;

  /// Creates the exception.
  ///
  /// @param found the present revision of the volume
  public VolumeChangedException(String found) {
    super("The revision of the volume differs from the expected revision");
    this.found = found;
  }

  /// Returns the human-readable description.
  public String detail() {
    return "The volume has changed meanwhile: expected another revision, found " + found;
  }
}
