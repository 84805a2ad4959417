package dev.pvcpopulators.volume;

/// The phase of a volume. The status document contains the name of the constant.
public enum Phase {
  /// No volume was requested, or the volume was deleted.
  Absent,
  /// A volume was requested, and no byte has been transferred yet. This is also the phase while a
  /// restarted service searches for the volume that it made earlier.
  Pending,
  /// Bytes are transferred from the source to the volume.
  Transferring,
  /// All bytes have arrived; the volume is being verified, flushed and published.
  Finalizing,
  /// The volume can be used.
  Ready,
  /// A creation, a deletion, or the search for the earlier volume failed. The status contains the
  /// reason.
  Failed,
  /// A creation is being undone, or a volume is being removed.
  Deleting;

  /// Returns whether only another request can change this phase.
  public boolean terminal() {
    return switch (this) {
      case Absent, Ready, Failed -> true;
      case Pending, Transferring, Finalizing, Deleting -> false;
    };
  }
}
