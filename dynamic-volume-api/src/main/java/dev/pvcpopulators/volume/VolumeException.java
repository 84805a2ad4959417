package dev.pvcpopulators.volume;

/// An exception that carries a [Failure] to the HTTP interface or to the Job interface.
public final class VolumeException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Failure failure;

  public VolumeException(Failure failure) {
    super(failure.detail());
    this.failure = failure;
  }

  /// Creates an exception with a failure and the cause of the failure.
  public VolumeException(Failure failure, Throwable cause) {
    super(failure.detail(), cause);
    this.failure = failure;
  }

  /// Returns an exception with [Failure.InvalidRequest].
  public static VolumeException invalid(String detail) {
    return new VolumeException(new Failure.InvalidRequest(detail));
  }

  /// Returns an exception with [Failure.InvalidRequest] and the cause of the failure.
  public static VolumeException invalid(String detail, Throwable cause) {
    return new VolumeException(new Failure.InvalidRequest(detail), cause);
  }

  public Failure failure() {
    return failure;
  }
}
