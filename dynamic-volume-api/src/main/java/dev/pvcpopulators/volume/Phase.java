package dev.pvcpopulators.volume;

/// The phase of a volume. The status document contains the name of the constant.
public enum Phase {
  /// No volume was requested, or the volume was deleted.
  Absent,
  /// A volume was requested, and no byte has been transferred yet. The phase is also `Pending`
  /// while the service searches for a volume that it made before its start.
  Pending,
  /// Bytes are transferred from the source to the volume.
  Transferring,
  /// All bytes have arrived; the volume is being verified, flushed and published.
  Finalizing,
  /// The volume can be used.
  Ready,
  /// A creation or a deletion failed, or the service could not determine after its start whether
  /// there is a volume already. The status contains the reason.
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
