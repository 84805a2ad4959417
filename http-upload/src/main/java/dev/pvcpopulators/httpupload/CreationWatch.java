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

/// Sees to it that each upload has a creation that makes the volume of it, and tells its end.
///
/// An upload is watched once, however many connections it takes.
@Singleton
final class CreationWatch {
  /// An upload can come while an earlier creation is ending, and then while a deletion is; a third
  /// time would be a defect.
  private static final int MOST_CREATIONS = 3;

  private static final Failure READY =
      new Failure.VolumeNotEmpty(
          "The volume is ready already; DELETE /volume first to upload another disk");

  private final VolumeLifecycle lifecycle;
  private final UploadDesk desk;

  CreationWatch(VolumeLifecycle lifecycle, UploadDesk desk) {
    this.lifecycle = lifecycle;
    this.desk = desk;
  }

  /// Joins the creation that PUT /volume began, or begins it.
  void follow(Upload upload) {
    follow(upload, 1);
  }

  private void follow(Upload upload, int attempt) {
    CompletableFuture<Creation> asked = lifecycle.put(VolumeRequest.empty());
    desk.await(upload, asked);
    var _ = asked.whenComplete((creation, failure) -> ended(upload, attempt, creation, failure));
  }

  private void ended(
      Upload upload, int attempt, @Nullable Creation creation, @Nullable Throwable failure) {
    if (creation != null) {
      desk.settle(upload, upload.taken() ? new Outcome.Made(creation) : new Outcome.Refused(READY));
      return;
    }
    if (failure instanceof CancellationException) {
      // Another upload has taken this one's place, which no client waits for.
      return;
    }
    Failure reason = failureOf(failure);
    boolean ours = upload.finished() || reason instanceof Failure.Cancelled;
    if (!ours && attempt < MOST_CREATIONS) {
      // That was the end of an earlier creation; the one that takes this upload goes on, or has yet
      // to begin.
      follow(upload, attempt + 1);
      return;
    }
    desk.settle(upload, new Outcome.Refused(reason));
  }

  private static Failure failureOf(@Nullable Throwable failure) {
    return switch (failure) {
      case VolumeException known -> known.failure();
      case CompletionException wrapped when wrapped.getCause() != null ->
          failureOf(wrapped.getCause());
      case null -> Defect.logged(new IllegalStateException("A creation ended without a reason"));
      default -> Defect.logged(failure);
    };
  }
}
