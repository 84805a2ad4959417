package dev.pvcpopulators.kit.security;

import dev.pvcpopulators.kit.security.Access.Decision;
import io.vertx.core.Context;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/// Repeats the access decision for the duration of a request, so that a stream or an upload ends
/// after its token was replaced or revoked.
///
/// The expiry of a token does not end a request, because an upload may take longer than the
/// lifetime of tokens. Two consecutive refusals end a request; an undecided check between them is
/// ignored. One refusal is not enough, because a token file that is written in place is empty for a
/// moment.
final class AccessRecheck {
  /// The time between two decisions, in milliseconds.
  private static final long PERIOD_MILLIS = 3_000;

  private static final int ENOUGH = 2;

  private final AtomicInteger refusals = new AtomicInteger();

  private AccessRecheck() {}

  /// Repeats the access decision every [#PERIOD_MILLIS] until the request has been answered or its
  /// connection has ended.
  ///
  /// @param judge returns a new decision, which never completes exceptionally
  static void watch(RoutingContext routing, Supplier<CompletionStage<Decision>> judge) {
    AccessRecheck standing = new AccessRecheck();
    Context loop = routing.vertx().getOrCreateContext();
    long timer =
        routing
            .vertx()
            .setPeriodic(
                PERIOD_MILLIS,
                id -> {
                  var _ =
                      judge
                          .get()
                          .thenAccept(decision -> {
                            if (standing.ended(decision) && routing.vertx().cancelTimer(id)) {
                              loop.runOnContext(_ -> routing.request().connection().close());
                            }
                          });
                });
    routing.addEndHandler(_ -> routing.vertx().cancelTimer(timer));
    // Vert.x does not call an end handler that is added after the connection was closed.
    if (routing.response().closed()) {
      routing.vertx().cancelTimer(timer);
    }
  }

  private boolean ended(Decision decision) {
    return switch (decision) {
      case UNAUTHENTICATED, FORBIDDEN, LIMITED -> refusals.incrementAndGet() >= ENOUGH;
      case ALLOWED, EXPIRED -> {
        refusals.set(0);
        yield false;
      }
      case UNDECIDED -> false;
    };
  }
}
