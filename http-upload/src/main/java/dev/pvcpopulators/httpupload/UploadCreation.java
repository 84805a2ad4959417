package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.httpupload.Upload.Outcome;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import jakarta.inject.Singleton;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Connects each upload to the creation of the volume, and reports the outcome of the creation to
/// the upload's client.
///
/// [#follow] must be called once for each upload, even if the upload uses several connections.
@Singleton
final class UploadCreation {
  /// The maximum number of creations that one upload joins or starts. The first creation may fail
  /// because it began before the upload, and was already ending when the upload joined it. The
  /// second creation may fail because it waits for a deletion that fails. More than three creations
  /// would indicate a defect.
  private static final int MOST_CREATIONS = 3;

  private static final Failure READY =
      new Failure.VolumeNotEmpty(
          "The volume is ready already; DELETE /volume first to upload another disk");

  private final VolumeLifecycle lifecycle;
  private final UploadSlot slot;

  UploadCreation(VolumeLifecycle lifecycle, UploadSlot slot) {
    this.lifecycle = lifecycle;
    this.slot = slot;
  }

  /// Joins the running creation, or starts one.
  void follow(Upload upload) {
    follow(upload, 1);
  }

  private void follow(Upload upload, int attempt) {
    CompletableFuture<Creation> asked = lifecycle.put(VolumeRequest.empty());
    slot.await(upload, asked);
    var _ = asked.whenComplete((creation, failure) -> ended(upload, attempt, creation, failure));
  }

  private void ended(
      Upload upload, int attempt, @Nullable Creation creation, @Nullable Throwable failure) {
    if (creation != null) {
      slot.settle(upload, upload.taken() ? new Outcome.Made(creation) : new Outcome.Refused(READY));
      return;
    }
    if (failure instanceof CancellationException) {
      // Another upload has replaced this upload, so no client waits for the outcome.
      return;
    }
    Failure reason = failureOf(failure);
    boolean ours = upload.finished() || reason instanceof Failure.Cancelled;
    if (!ours && attempt < MOST_CREATIONS) {
      // An earlier creation has ended; the creation for this upload is running, or has not started.
      follow(upload, attempt + 1);
      return;
    }
    slot.settle(upload, new Outcome.Refused(reason));
  }

  private static Failure failureOf(@Nullable Throwable failure) {
    return switch (failure) {
      case VolumeException known -> known.failure();
      case CompletionException wrapped when wrapped.getCause() != null ->
          failureOf(wrapped.getCause());
      case null ->
          UnexpectedFailure.logged(new IllegalStateException("A creation ended without a reason"));
      default -> UnexpectedFailure.logged(failure);
    };
  }
}
