package dev.pvcpopulators.operator.status;

/// The reason why a claim waits, proceeds or has failed. Events, conditions and metrics show this
/// reason.
public enum Reason {
  CrossNamespaceUnsupported(Kind.WARNING),
  AlreadyPopulated(Kind.NORMAL),
  SourceNotFound(Kind.WARNING),
  InvalidSource(Kind.WARNING),
  StorageClassUnset(Kind.WARNING),
  StorageClassNotFound(Kind.WARNING),
  LendingClassInvalid(Kind.WARNING),
  UnsupportedProvisioner(Kind.WARNING),
  WaitingForConsumer(Kind.NORMAL),
  QuotaExceeded(Kind.WARNING),
  CreationRefused(Kind.WARNING),
  Provisioning(Kind.NORMAL),
  WaitingForPod(Kind.SILENT),
  Unschedulable(Kind.WARNING),
  PodNotStarting(Kind.WARNING),
  WaitingForUpload(Kind.NORMAL),
  Populating(Kind.NORMAL),
  Retrying(Kind.WARNING),
  ProgressUnknown(Kind.NORMAL),
  Populated(Kind.NORMAL),
  Ready(Kind.NORMAL),
  ProvisionerIgnoresDataSource(Kind.WARNING),
  PermanentFailure(Kind.WARNING),
  RetriesExhausted(Kind.WARNING),
  DeadlineExceeded(Kind.WARNING),
  DigestMismatch(Kind.WARNING),
  VolumeTooSmall(Kind.WARNING),
  AccessModesMismatch(Kind.WARNING),
  VolumeModeMismatch(Kind.WARNING),
  StorageClassMismatch(Kind.WARNING),
  AttributesClassMismatch(Kind.WARNING),
  VolumeLost(Kind.WARNING);

  /// The kind of the event that reports a reason.
  public enum Kind {
    NORMAL("Normal"),
    WARNING("Warning"),
    /// No event; the reason is in the status only.
    SILENT("");

    private final String type;

    Kind(String type) {
      this.type = type;
    }

    /// Returns the `type` of the event; empty for [#SILENT].
    public String type() {
      return type;
    }
  }

  private final Kind kind;

  Reason(Kind kind) {
    this.kind = kind;
  }

  /// Returns whether the population failed: true for the reasons declared after [#Ready].
  public boolean failure() {
    return compareTo(Ready) > 0;
  }

  /// Returns the kind of the event that reports this reason.
  public Kind kind() {
    return kind;
  }
}
