package dev.pvcpopulators.volume;

import java.util.Set;
import java.util.TreeSet;

/// Why there is no volume: everything a service may end with, and what its clients learn of it.
///
/// Each detail says action, subject, what was expected and what was found, and holds no credential
/// and nothing of the payload.
public sealed interface Failure {
  /// What happened, for a person.
  String detail();

  /// The request contradicts the contract: unknown fields, values out of range.
  record InvalidRequest(String detail) implements Failure {}

  /// This service wants credentials, or others.
  record Unauthenticated(String detail) implements Failure {}

  /// The source wants credentials, or others.
  record SourceDenied(String detail) implements Failure {}

  /// The source is not there.
  record SourceNotFound(String detail) implements Failure {}

  /// The source contradicts its own format.
  record MalformedSource(String detail) implements Failure {}

  /// The source is valid, and uses what is refused or not known.
  record UnsupportedSource(String detail) implements Failure {}

  /// What arrived differs from the digest or length that was promised.
  record DigestMismatch(String detail) implements Failure {}

  /// The disk does not fit.
  ///
  /// @param requiredBytes bytes that the disk needs, at least
  /// @param availableBytes bytes that the volume has for it
  /// @param full true where the file system said so while writing, false where the sizes did
  record ExceedsVolume(String detail, long requiredBytes, long availableBytes, boolean full)
      implements Failure {}

  /// The volume's storage has failed: a device that does not answer, a file system that is damaged
  /// or gone. Storage that is reached over a network comes back.
  record VolumeFailed(String detail) implements Failure {}

  /// Another creation or upload has the volume.
  record VolumeBusy(String detail) implements Failure {}

  /// The volume holds something that must not be overwritten.
  record VolumeNotEmpty(String detail) implements Failure {}

  /// Somebody deleted the volume, or stopped the service, while it was being made.
  record Cancelled(String detail) implements Failure {}

  /// The source cannot be reached or broke off; the same may succeed later.
  record SourceUnavailable(String detail) implements Failure {}

  /// A defect of this service, or a machine that has run out of memory or descriptors.
  ///
  /// @param id what the log entry with the cause is found by
  record Bug(String id, String detail) implements Failure {}

  /// A stable name of the kind, in lower case with hyphens: `exceeds-volume`.
  default String kind() {
    return row().id();
  }

  /// One line that is the same for all failures of a kind.
  default String title() {
    return row().title();
  }

  /// The HTTP status.
  default int status() {
    return row().status();
  }

  /// What a Job's process exits with (sysexits.h).
  default int exitCode() {
    return row().exitCode();
  }

  /// True where the same request may succeed later without anybody changing anything.
  default boolean retryable() {
    return row().retryable();
  }

  /// The exit codes after which the same job would fail in the same way.
  static Set<Integer> permanentExitCodes() {
    Set<Integer> codes = new TreeSet<>();
    for (FailureKind kind : FailureKind.values()) {
      if (!kind.retryable()) {
        codes.add(kind.exitCode());
      }
    }
    return codes;
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
