package dev.pvcpopulators.operator.status;

/// Why a claim waits, moves or failed: the reason of events, conditions and metrics.
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

  /// How a reason is told on the claim.
  public enum Kind {
    NORMAL("Normal"),
    WARNING("Warning"),
    /// In the status only.
    SILENT("");

    private final String type;

    Kind(String type) {
      this.type = type;
    }

    /// The `type` of the event.
    public String type() {
      return type;
    }
  }

  private final Kind kind;

  Reason(Kind kind) {
    this.kind = kind;
  }

  /// Whether a population ends with it: those that stand after [#Ready].
  public boolean failure() {
    return compareTo(Ready) > 0;
  }

  /// How it is told on the claim.
  public Kind kind() {
    return kind;
  }
}
