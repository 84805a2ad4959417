package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.status.Reason;

/// The reason why a dynamic volume or a stream waits, proceeds or has failed. Events, conditions
/// and metrics show this reason.
public enum VolumeReason {
  KeyMissing(Reason.Kind.WARNING),
  SpecInvalid(Reason.Kind.WARNING),
  SpecRefused(Reason.Kind.WARNING),
  QuotaExceeded(Reason.Kind.WARNING),
  Accepted(Reason.Kind.SILENT),
  PodNotCreated(Reason.Kind.WARNING),
  WaitingForPod(Reason.Kind.SILENT),
  PodNotStarting(Reason.Kind.WARNING),
  PodGone(Reason.Kind.WARNING),
  WaitingForAnswer(Reason.Kind.SILENT),
  Creating(Reason.Kind.NORMAL),
  Retrying(Reason.Kind.WARNING),
  Publishing(Reason.Kind.NORMAL),
  ClaimInUse(Reason.Kind.NORMAL),
  Deleting(Reason.Kind.NORMAL),
  NotDeleted(Reason.Kind.WARNING),
  Ready(Reason.Kind.NORMAL),
  NoAnswer(Reason.Kind.WARNING),
  NotTheContract(Reason.Kind.WARNING),
  CertificateRefused(Reason.Kind.WARNING),
  TokenRefused(Reason.Kind.WARNING),
  CreationFailed(Reason.Kind.WARNING),
  SourceChanged(Reason.Kind.WARNING),
  SizeUnknown(Reason.Kind.WARNING),
  ClaimExists(Reason.Kind.WARNING),
  SourceNotFound(Reason.Kind.WARNING),
  InvalidSource(Reason.Kind.WARNING),
  FilesystemUnsupported(Reason.Kind.WARNING),
  StreamTooSmall(Reason.Kind.WARNING),
  StreamFailed(Reason.Kind.WARNING);

  private final Reason.Kind kind;

  VolumeReason(Reason.Kind kind) {
    this.kind = kind;
  }

  /// Returns the kind of the event that reports this reason.
  public Reason.Kind kind() {
    return kind;
  }

  /// Returns whether the volume failed: true for the reasons declared after [#Ready].
  public boolean failure() {
    return compareTo(Ready) > 0;
  }
}
