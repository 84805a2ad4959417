package dev.pvcpopulators.volume;

/// The kinds of failures. Clients, scripts and dashboards may rely on the names, HTTP statuses and
/// exit codes.
///
/// The exit codes are those of sysexits.h.
public enum FailureKind {
  INVALID_REQUEST("invalid-request", "The request is not valid", 400, 64, false),
  UNAUTHENTICATED("unauthenticated", "Credentials are missing or wrong", 401, 77, false),
  SOURCE_DENIED("source-denied", "The source refuses access", 403, 77, false),
  SOURCE_NOT_FOUND("source-not-found", "The source does not exist", 404, 66, false),
  MALFORMED_SOURCE("malformed-source", "The source is damaged", 422, 65, false),
  UNSUPPORTED_SOURCE("unsupported-source", "The source cannot be used", 422, 65, false),
  DIGEST_MISMATCH("digest-mismatch", "The source does not match its digest", 422, 65, false),
  EXCEEDS_VOLUME("exceeds-volume", "The disk does not fit into the volume", 413, 73, false),
  VOLUME_FULL("volume-full", "The volume ran out of space", 507, 73, false),
  VOLUME_FAILED("volume-failed", "The volume's storage failed", 500, 74, true),
  VOLUME_BUSY("volume-busy", "The volume is busy", 409, 75, true),
  VOLUME_NOT_EMPTY("volume-not-empty", "The volume holds something already", 409, 73, false),
  CANCELLED("cancelled", "The creation was cancelled", 409, 75, true),
  SOURCE_UNAVAILABLE("source-unavailable", "The source cannot be reached", 502, 75, true),
  BUG("bug", "The service failed", 500, 70, false);

  private final String id;
  private final String title;
  private final int status;
  private final int exitCode;
  private final boolean retryable;

  FailureKind(String id, String title, int status, int exitCode, boolean retryable) {
    this.id = id;
    this.title = title;
    this.status = status;
    this.exitCode = exitCode;
    this.retryable = retryable;
  }

  /// Returns the stable name, such as `exceeds-volume`.
  public String id() {
    return id;
  }

  String title() {
    return title;
  }

  int status() {
    return status;
  }

  int exitCode() {
    return exitCode;
  }

  /// Returns whether the same request may succeed later.
  public boolean retryable() {
    return retryable;
  }
}
