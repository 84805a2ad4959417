package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Problem;
import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// Refuses a request whose body has not been read.
///
/// The answer is sent at once, without `100 Continue`, so that a client that waits for this interim
/// response (RFC 9110, section 10.1.1) does not send the body. A client that is already sending the
/// body must get the answer, too. But closing a connection with unread bytes resets the connection,
/// and the reset can destroy the answer in transit. Therefore [#refuse] first drops the bytes that
/// still arrive (RFC 9112, section 9.6), for at most three seconds and at most 64 MiB. At the end
/// of the body, or at one of these limits, the connection is closed. Call the methods of this class
/// on the request's event loop.
public final class EarlyRefusal {
  private static final long PATIENCE_MILLIS = 3_000;
  private static final long MAX_DROPPED_BYTES = 64L << 20;

  /// The reason to refuse a body whose chunks the HTTP server cannot parse.
  public static final Failure UNREADABLE =
      new Failure.InvalidRequest(
          "Reading the body: expected chunks as RFC 9112, section 7.1, has them, found something"
              + " else");

  private EarlyRefusal() {}

  /// Answers with the failure as a problem and ends the request.
  public static void refuse(RoutingContext context, Failure failure) {
    refuse(context, Problem.of(failure), Map.of());
  }

  /// Answers with a problem and further headers, and ends the request.
  public static void refuse(RoutingContext context, Problem problem, Map<String, String> headers) {
    HttpServerRequest request = context.request();
    HttpServerResponse response = context.response();
    if (response.headWritten() || response.closed()) {
      return;
    }
    Buffer body = begin(context, problem);
    headers.forEach(response::putHeader);
    if (request.isEnded() || request.version() == HttpVersion.HTTP_2) {
      response.end(body);
      return;
    }
    response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    // All bytes of the answer are written, but `end` is not called: if the client has requested
    // `Connection: close`, `end` would close the connection at once.
    response.write(body);
    drop(context.vertx(), request, () -> close(request));
  }

  /// Refuses a body that the engine cannot read. This method does not call [#drop], because the
  /// engine delivers no more of the body, and because [#drop] would replace the exception handler
  /// that notifies the body's reader.
  private static void refuseUnreadable(RoutingContext context) {
    HttpServerResponse response = context.response();
    if (!response.headWritten() && !response.closed()) {
      Buffer body = begin(context, Problem.of(UNREADABLE));
      response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE).end(body);
    }
  }

  /// Sets the status and the header fields of an answer with a problem, and returns the body of the
  /// answer.
  private static Buffer begin(RoutingContext context, Problem problem) {
    RefusalLog.reason(context, problem);
    byte[] body = problem.toJson();
    context
        .response()
        .setStatusCode(problem.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length))
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    return Buffer.buffer(body);
  }

  /// Runs a refusal if the engine cannot read the body's chunks (RFC 9112, section 7.1). The
  /// refusal runs before the body's reader is notified. The answer of the refusal is sent before
  /// the engine closes the connection.
  ///
  /// @param refusal sends the answer
  public static void whenUnreadable(RoutingContext context, Runnable refusal) {
    context.addEndHandler(ended -> {
      Throwable cause = ended.cause();
      // An IOException or a VertxException means a lost connection.
      if (cause != null && !(cause instanceof IOException || cause instanceof VertxException)) {
        refusal.run();
        if (!context.response().ended()) {
          context.response().end();
        }
        // When the engine closes the connection, it drops bytes that were not flushed.
        if (context.request().connection() instanceof ConnectionBase broken) {
          broken.channelHandlerContext().flush();
        }
      }
    });
  }

  /// Answers with a problem and closes the connection as soon as the answer is sent, because the
  /// start of the next request on the connection is unknown.
  public static void cut(RoutingContext context, Problem problem) {
    Buffer body = begin(context, problem);
    HttpServerResponse response = context.response();
    response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    // The response is sent completely, but not ended, because ending it would make the engine
    // continue with the next request.
    var _ = response.write(body).onComplete(_ -> context.request().connection().close());
  }

  /// Limits the body of a request that a route answers without reading the body. After the answer,
  /// the rest of the body is dropped. If the rest takes longer than three seconds or exceeds 64
  /// MiB, the connection is closed.
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

  /// Closes the connection if the request's body has not arrived completely within `patience`, and
  /// refuses a body that the engine cannot read. The time for the answer is not limited.
  public static void boundBody(RoutingContext context, Duration patience) {
    HttpServerRequest request = context.request();
    if (!hasBody(request) || request.version() == HttpVersion.HTTP_2) {
      return;
    }
    Vertx vertx = context.vertx();
    long timer = vertx.setTimer(patience.toMillis(), _ -> request.connection().close());
    // `isEnded` is not usable here: it is false while the request is paused, and the reader leaves
    // the request paused after the last byte.
    var _ = request.end().onSuccess(_ -> vertx.cancelTimer(timer));
    context.addEndHandler(_ -> vertx.cancelTimer(timer));
    whenUnreadable(context, () -> refuseUnreadable(context));
  }

  private static boolean hasBody(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        || (length != null && !length.equals("0"));
  }

  /// Drops the rest of a request's body. Closes the connection if the rest takes longer than
  /// [#PATIENCE_MILLIS] or exceeds [#MAX_DROPPED_BYTES].
  ///
  /// @param atEnd runs if the body ends within the limits
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
    // The exception is not reported, because the client is expected to close the connection.
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
