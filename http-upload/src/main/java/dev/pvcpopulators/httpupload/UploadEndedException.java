package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.time.Duration;

/// Reports to the reader of an upload's stream that the upload ended early, or has a wrong digest.
final class UploadEndedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient Failure failure;
  private final boolean replaced;

  private UploadEndedException(Failure failure) {
    this(failure, false);
  }

  private UploadEndedException(Failure failure, boolean replaced) {
    super(failure.detail());
    this.failure = failure;
    this.replaced = replaced;
  }

  static UploadEndedException cancelled() {
    return new UploadEndedException(
        new Failure.Cancelled("The upload was cancelled; the received bytes are discarded"));
  }

  /// Returns the exception of an upload that was replaced by another upload.
  static UploadEndedException gaveWay() {
    return new UploadEndedException(
        new Failure.Cancelled("Another upload has replaced this upload"), true);
  }

  static UploadEndedException notResumed(long received, Duration resumeWindow) {
    return new UploadEndedException(
        new Failure.SourceUnavailable(
            ("The upload broke off after %s bytes and was not resumed within %s s; the"
                    + " received bytes are discarded")
                .formatted(received, resumeWindow.toSeconds())));
  }

  static UploadEndedException digestMismatch(String what, ExpectedDigest expected, String found) {
    return new UploadEndedException(
        new Failure.DigestMismatch(
            "Verifying %s: expected %s %s, found %s"
                .formatted(what, expected.algorithm().key(), expected.hex(), found)));
  }

  /// Returns whether another upload replaced this upload. If so, the creation of the volume
  /// continues with the other upload.
  boolean replaced() {
    return replaced;
  }

  Failure failure() {
    return failure;
  }
}
