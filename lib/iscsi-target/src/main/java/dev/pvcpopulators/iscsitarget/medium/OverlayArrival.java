package dev.pvcpopulators.iscsitarget.medium;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Waits for one range of the base after another, as many as an overlay lacks: one waiting reader
/// at the base, however many pieces a range is in.
final class OverlayArrival extends CompletableFuture<Void> {
  private final Supplier<@Nullable CompletableFuture<Void>> next;
  private volatile @Nullable CompletableFuture<Void> awaited;

  /// @param next what to wait for; null once nothing is
  private OverlayArrival(Supplier<@Nullable CompletableFuture<Void>> next) {
    this.next = next;
  }

  /// Starts waiting.
  ///
  /// @param first what to wait for first
  /// @param next what to wait for then; null once nothing is
  static OverlayArrival after(
      CompletableFuture<Void> first, Supplier<@Nullable CompletableFuture<Void>> next) {
    OverlayArrival arrival = new OverlayArrival(next);
    // However it ends: who gives up waiting here gives up waiting there.
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
      // Nobody else sees it here, and who waits must not wait for ever.
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
