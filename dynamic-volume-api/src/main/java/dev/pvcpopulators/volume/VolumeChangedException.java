package dev.pvcpopulators.volume;

/// The precondition of a deletion failed; the volume is unchanged.
public final class VolumeChangedException extends Exception {
  private static final long serialVersionUID = 1;

  private final String found;

  /// Creates the exception.
  ///
  /// @param found the volume's revision
  public VolumeChangedException(String found) {
    super("The volume has another revision than was expected");
    this.found = found;
  }

  /// Returns the human-readable description.
  public String detail() {
    return "The volume has changed meanwhile: expected another revision, found " + found;
  }
}
