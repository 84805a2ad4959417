package dev.pvcpopulators.volume;

/// How far a volume has come, as its users see it. The names are those of the status document.
public enum Phase {
  /// Nobody has asked for a volume, or it was deleted.
  Absent,
  /// Asked for; no byte has moved yet. Also the short while in which a restarted service looks for
  /// what it had made before.
  Pending,
  /// Bytes are moving from the source to the volume.
  Transferring,
  /// Everything has arrived; what is left is verifying, flushing and publishing.
  Finalizing,
  /// The volume can be used.
  Ready,
  /// The creation ended without a volume; the status has the reason.
  Failed,
  /// A creation is being undone or a volume removed.
  Deleting;

  /// True where nothing changes until somebody asks for something.
  public boolean terminal() {
    return switch (this) {
      case Absent, Ready, Failed -> true;
      case Pending, Transferring, Finalizing, Deleting -> false;
    };
  }
}
