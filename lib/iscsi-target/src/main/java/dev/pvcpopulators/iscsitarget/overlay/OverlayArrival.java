package dev.pvcpopulators.iscsitarget.overlay;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A future that completes when the base has all ranges that an access to an overlay needs. It
/// waits for one range after another. So the base has only one waiting reader for each such future,
/// regardless of the number of ranges.
final class OverlayArrival extends CompletableFuture<Void> {
  private final Supplier<@Nullable CompletableFuture<Void>> next;
  private volatile @Nullable CompletableFuture<Void> awaited;

  /// Creates a future that does not wait yet.
  ///
  /// @param next supplies the future of the next range; null at the end
  private OverlayArrival(Supplier<@Nullable CompletableFuture<Void>> next) {
    this.next = next;
  }

  /// Creates a future that waits for the first range, and then for all later ranges.
  ///
  /// @param first the future of the first range
  /// @param next supplies the future of the next range; null at the end
  static OverlayArrival after(
      CompletableFuture<Void> first, Supplier<@Nullable CompletableFuture<Void>> next) {
    OverlayArrival arrival = new OverlayArrival(next);
    // This action runs after every outcome. If the caller cancels this future, the action also
    // cancels the future of the current range.
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
      // No other code sees this exception. Without this line, the command that waits for this
      // future would wait forever.
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
