package dev.pvcpopulators.volume;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/// The reason why an operation on a volume failed. Each kind has an HTTP status, an exit code and a
/// problem type.
///
/// The detail names the action that failed and the object of the action. If a value was wrong, the
/// detail names the expected value, and usually also the found value. The detail contains no
/// credential and no payload.
public sealed interface Failure {
  /// Returns the human-readable description.
  String detail();

  /// The request contradicts the contract (unknown fields, values out of range), or a setting is
  /// invalid or does not fit the volume.
  record InvalidRequest(String detail) implements Failure {}

  /// The request has no credentials, or this service refuses the given credentials.
  record Unauthenticated(String detail) implements Failure {}

  /// The source requires credentials or refuses the given credentials, or the settings do not
  /// permit this source.
  record SourceDenied(String detail) implements Failure {}

  /// The source does not exist.
  record SourceNotFound(String detail) implements Failure {}

  /// The source contradicts its own format.
  record MalformedSource(String detail) implements Failure {}

  /// The source is valid, but uses a feature that this service refuses or does not know.
  record UnsupportedSource(String detail) implements Failure {}

  /// The content differs from its announced digest or length.
  record DigestMismatch(String detail) implements Failure {}

  /// The disk does not fit into the volume.
  ///
  /// @param requiredBytes minimum number of bytes that the disk needs, -1 if unknown
  /// @param availableBytes bytes that the volume has for the disk, -1 if unknown
  /// @param full whether the file system became full during the transfer; false if the sizes were
  ///   compared before the transfer
  record ExceedsVolume(String detail, long requiredBytes, long availableBytes, boolean full)
      implements Failure {}

  /// The volume's storage has failed: a device does not respond, or a file system is damaged or
  /// missing. This failure is retryable, because storage on a network may become available again.
  record VolumeFailed(String detail) implements Failure {}

  /// Another creation, upload or process uses the volume, a request does not fit the state of the
  /// current upload, or the service is stopping.
  record VolumeBusy(String detail) implements Failure {}

  /// The volume contains data that must not be overwritten.
  record VolumeNotEmpty(String detail) implements Failure {}

  /// The creation was cancelled: the volume was deleted, the service stopped, or the client ended
  /// its upload.
  record Cancelled(String detail) implements Failure {}

  /// The source cannot be reached, or the connection was lost; a retry may succeed.
  record SourceUnavailable(String detail) implements Failure {}

  /// A defect of this service, or an error that has no kind of its own, such as a lack of memory.
  ///
  /// @param id the identifier of the log entry with the cause
  record Bug(String id, String detail) implements Failure {}

  /// Returns the stable name of the kind, in lower case with hyphens, such as `exceeds-volume`.
  default String kind() {
    return row().id();
  }

  /// Returns the title, which all failures of a kind share.
  default String title() {
    return row().title();
  }

  /// Returns the HTTP status.
  default int status() {
    return row().status();
  }

  /// Returns the exit code of a Job's process (sysexits.h).
  default int exitCode() {
    return row().exitCode();
  }

  /// Returns whether the same request may succeed later.
  default boolean retryable() {
    return row().retryable();
  }

  /// Returns the exit codes of the failures that are not [retryable][#retryable].
  static Set<Integer> permanentExitCodes() {
    return Arrays.stream(FailureKind.values())
        .filter(kind -> !kind.retryable())
        .map(FailureKind::exitCode)
        .collect(Collectors.toSet());
  }

  private FailureKind row() {
    return switch (this) {
      case InvalidRequest _ -> FailureKind.INVALID_REQUEST;
      case Unauthenticated _ -> FailureKind.UNAUTHENTICATED;
      case SourceDenied _ -> FailureKind.SOURCE_DENIED;
      case SourceNotFound _ -> FailureKind.SOURCE_NOT_FOUND;
      case MalformedSource _ -> FailureKind.MALFORMED_SOURCE;
      case UnsupportedSource _ -> FailureKind.UNSUPPORTED_SOURCE;
      case DigestMismatch _ -> FailureKind.DIGEST_MISMATCH;
      case ExceedsVolume exceeds ->
          exceeds.full() ? FailureKind.VOLUME_FULL : FailureKind.EXCEEDS_VOLUME;
      case VolumeFailed _ -> FailureKind.VOLUME_FAILED;
      case VolumeBusy _ -> FailureKind.VOLUME_BUSY;
      case VolumeNotEmpty _ -> FailureKind.VOLUME_NOT_EMPTY;
      case Cancelled _ -> FailureKind.CANCELLED;
      case SourceUnavailable _ -> FailureKind.SOURCE_UNAVAILABLE;
      case Bug _ -> FailureKind.BUG;
    };
  }
}
