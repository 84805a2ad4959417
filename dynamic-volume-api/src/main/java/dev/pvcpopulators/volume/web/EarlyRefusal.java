package dev.pvcpopulators.volume.web;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Problem;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// Refuses a request whose body has not been read, and need not be.
///
/// The answer goes out at once, without `100 Continue`, so that a client that waits for one (RFC
/// 9110, section 10.1.1) sends nothing. A client that sends already gets the answer, too: closing a
/// connection while bytes are unread resets it, and the reset can destroy the answer on its way. So
/// what still arrives is dropped for a while and the client is let to close first (RFC 9112,
/// section 9.6); then the connection is closed. Call it on the request's event loop.
public final class EarlyRefusal {
  private static final long PATIENCE_MILLIS = 3_000;
  private static final long MAX_DROPPED_BYTES = 64L << 20;

  private EarlyRefusal() {}

  /// Answers the failure as a problem and ends the request.
  public static void refuse(RoutingContext context, Failure failure) {
    refuse(context, Problem.of(failure), Map.of());
  }

  /// Answers the problem, with more headers, and ends the request.
  public static void refuse(RoutingContext context, Problem problem, Map<String, String> headers) {
    HttpServerRequest request = context.request();
    HttpServerResponse response = context.response();
    if (response.headWritten() || response.closed()) {
      return;
    }
    RefusalLog.reason(context, problem);
    byte[] body = problem.toJson();
    response.setStatusCode(problem.status());
    headers.forEach(response::putHeader);
    response.putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE);
    response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length));
    response.putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    if (request.isEnded() || request.version() == HttpVersion.HTTP_2) {
      response.end(Buffer.buffer(body));
      return;
    }
    response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    // Whole on the wire, yet not ended: ending it would close the connection at once where the
    // client had asked for that.
    response.write(Buffer.buffer(body));
    drop(context.vertx(), request, () -> close(request));
  }

  /// Answers the problem and closes the connection at once, because nobody can tell where on it the
  /// next request begins.
  public static void cut(RoutingContext context, Problem problem) {
    RefusalLog.reason(context, problem);
    HttpServerResponse response = context.response();
    byte[] body = problem.toJson();
    response.setStatusCode(problem.status());
    response.putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE);
    response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length));
    response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    // Whole on the wire, yet not ended: with its end the engine would go on to what follows.
    var _ =
        response.write(Buffer.buffer(body)).onComplete(_ -> context.request().connection().close());
  }

  /// Sees to it that a request which some route answers without having read its body is not read
  /// for ever: within the same bounds the rest is dropped, then the connection is closed.
  public static void boundUnreadBody(RoutingContext context) {
    HttpServerRequest request = context.request();
    if (hasBody(request) && request.version() != HttpVersion.HTTP_2) {
      context.addEndHandler(ended -> {
        if (ended.succeeded() && !request.isEnded()) {
          drop(context.vertx(), request, () -> {});
        }
      });
    }
  }

  /// Closes the connection of a request whose body has not arrived completely in time. The time for
  /// the answer is not limited.
  public static void boundTimeOfBody(RoutingContext context, Duration patience) {
    HttpServerRequest request = context.request();
    if (!hasBody(request) || request.version() == HttpVersion.HTTP_2) {
      return;
    }
    Vertx vertx = context.vertx();
    long timer = vertx.setTimer(patience.toMillis(), _ -> request.connection().close());
    // Not `isEnded`: that is false while the request is paused, as its reader leaves it after the
    // last byte.
    var _ = request.end().onSuccess(_ -> vertx.cancelTimer(timer));
    context.addEndHandler(_ -> vertx.cancelTimer(timer));
  }

  private static boolean hasBody(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        || (length != null && !length.equals("0"));
  }

  /// Drops what is left of a request's body within bounds, then closes the connection.
  ///
  /// @param atEnd what to do where the body ends within them
  private static void drop(Vertx vertx, HttpServerRequest request, Runnable atEnd) {
    long timer = vertx.setTimer(PATIENCE_MILLIS, _ -> close(request));
    AtomicLong dropped = new AtomicLong();
    request.handler(buffer -> {
      if (dropped.addAndGet(buffer.length()) > MAX_DROPPED_BYTES && vertx.cancelTimer(timer)) {
        close(request);
      }
    });
    request.endHandler(_ -> {
      vertx.cancelTimer(timer);
      atEnd.run();
    });
    // A client that goes away first is what is hoped for.
    request.exceptionHandler(_ -> vertx.cancelTimer(timer));
    request.resume();
  }

  private static void close(HttpServerRequest request) {
    if (!request.response().ended()) {
      request.response().end();
    }
    request.connection().close();
  }
}
