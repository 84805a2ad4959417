package dev.pvcpopulators.volume;

/// The volume is not the one that was meant, and nothing was done to it.
public final class VolumeChangedException extends Exception {
  private static final long serialVersionUID = 1;

  private final String found;

  /// @param found the volume's revision
  public VolumeChangedException(String found) {
    super("The volume has another revision than was expected");
    this.found = found;
  }

  /// What happened, for a person.
  public String detail() {
    return "The volume has changed meanwhile: expected another revision, found " + found;
  }
}
