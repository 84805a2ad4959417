package dev.pvcpopulators.iscsitarget.overlay;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Waits for the ranges of the base that an overlay lacks, one after the other. So the base has
/// only one waiting reader for each wait, regardless of the number of ranges.
final class OverlayArrival extends CompletableFuture<Void> {
  private final Supplier<@Nullable CompletableFuture<Void>> next;
  private volatile @Nullable CompletableFuture<Void> awaited;

  /// Creates a wait that has not started.
  ///
  /// @param next supplies the future of the next range; null at the end
  private OverlayArrival(Supplier<@Nullable CompletableFuture<Void>> next) {
    this.next = next;
  }

  /// Starts to wait.
  ///
  /// @param first the future of the first range
  /// @param next supplies the future of the next range; null at the end
  static OverlayArrival after(
      CompletableFuture<Void> first, Supplier<@Nullable CompletableFuture<Void>> next) {
    OverlayArrival arrival = new OverlayArrival(next);
    // This action runs for every outcome: the cancellation of this future also cancels the future
    // that it waits for.
    var _ = arrival.whenComplete((_, _) -> arrival.giveUp());
    arrival.await(first);
    return arrival;
  }

  private void await(CompletableFuture<Void> arriving) {
    awaited = arriving;
    if (isDone()) {
      arriving.cancel(false);
      return;
    }
    var _ = arriving.whenComplete((_, failure) -> arrived(failure));
  }

  private void arrived(@Nullable Throwable failure) {
    if (failure != null) {
      completeExceptionally(failure);
      return;
    }
    try {
      CompletableFuture<Void> more = next.get();
      if (more == null) {
        complete(null);
      } else {
        await(more);
      }
    } catch (RuntimeException e) {
      // No other code sees the exception here, and the waiting reader must not wait forever.
      completeExceptionally(e);
    }
  }

  private void giveUp() {
    CompletableFuture<Void> arriving = awaited;
    if (arriving != null) {
      arriving.cancel(false);
    }
  }
}
