package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.kit.web.EarlyRefusal;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeException;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.OptionalLong;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// One request of an upload, from its arrival to its response.
///
/// Any thread may call [#admit], `goOnSoon` and the methods of the interface [Upload.Connection].
/// All other methods run on the request's event loop.
final class IncomingUpload implements Upload.Connection {
  private static final Logger LOG = Logger.getLogger(IncomingUpload.class);

  /// The upload to which this request was admitted.
  ///
  /// @param skip number of bytes at the beginning of the body to skip, because the service has
  ///   received these bytes already
  private record Admission(Upload upload, UploadRequest wanted, long skip) {}

  /// The last step of the admission: attaches the request to an upload, and calls [#begin].
  interface Attachment {
    /// Attaches the request.
    ///
    /// @throws VolumeException with the reason for a refusal
    void attach() throws VolumeException;
  }

  private final RoutingContext routing;
  private final HttpServerRequest request;
  private final UploadSlot slot;
  private final Duration idleTimeout;
  private final MinimumRate pace;
  private final Context context;
  private final Vertx vertx;
  private volatile long lastProgress = System.nanoTime();
  private volatile boolean paused;

  private @Nullable Admission admission;
  private long came;
  private boolean gone;
  private boolean closed;
  private boolean answered;
  private long idleTimer = -1;

  IncomingUpload(RoutingContext routing, UploadSlot slot, HttpUploadSettings settings) {
    this.routing = routing;
    this.request = routing.request();
    this.slot = slot;
    this.idleTimeout = settings.idleTimeout();
    this.pace = new MinimumRate(settings.leastRate(), idleTimeout, lastProgress);
    this.vertx = routing.vertx();
    this.context = vertx.getOrCreateContext();
    // The client may disconnect before its upload is admitted.
    request.exceptionHandler(this::ended);
    EarlyRefusal.whenUnreadable(routing, () -> refuse(EarlyRefusal.UNREADABLE));
  }

  @Override
  public long silentFor() {
    return paused ? 0 : System.nanoTime() - lastProgress;
  }

  @Override
  public void close() {
    context.runOnContext(_ -> {
      cut();
      request.connection().close();
    });
  }

  @Override
  public void settle(Upload.Outcome outcome) {
    context.runOnContext(_ -> {
      switch (outcome) {
        case Upload.Outcome.Made(var creation) -> succeed(creation);
        case Upload.Outcome.Refused(var failure) -> refuse(failure);
      }
    });
  }

  /// Attaches the request to an upload, asynchronously, unless the request has ended: its body may
  /// be unreadable, or the client may have disconnected. The attachment runs on the event loop, so
  /// that the request cannot end meanwhile. Otherwise, a request could begin an upload after its
  /// answer, and the client's next request would be refused.
  void admit(Attachment attachment) {
    context.runOnContext(_ -> {
      if (answered || gone) {
        return;
      }
      try {
        attachment.attach();
      } catch (VolumeException e) {
        refuse(e.failure());
      } catch (RuntimeException e) {
        refuse(UnexpectedFailure.logged(e));
      }
    });
  }

  /// Begins to read the body of this request. The paused request continues only in a later task of
  /// the event loop. So if the creation of the volume has already failed, the upload is refused
  /// before the client is asked for the body.
  ///
  /// @param skip number of bytes at the beginning of the body to skip, because the service has
  ///   received these bytes already
  void begin(Upload upload, UploadRequest wanted, long skip) {
    Admission admitted = new Admission(upload, wanted, skip);
    admission = admitted;
    context.runOnContext(_ -> resume(admitted));
  }

  private void resume(Admission admitted) {
    if (answered || closed) {
      return;
    }
    // HTTP/1.0 has no interim responses (RFC 9110, section 15.2).
    if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))
        && request.version() != HttpVersion.HTTP_1_0) {
      request.response().writeContinue();
    }
    lastProgress = System.nanoTime();
    pace.begin(lastProgress);
    idleTimer = vertx.setPeriodic(Math.max(1, idleTimeout.toMillis() / 4), _ -> closeIfSlow());
    request.handler(buffer -> take(admitted, bytesOf(buffer)));
    request.endHandler(_ -> bodyEnded(admitted));
    request.exceptionHandler(this::ended);
    if (admitted.upload().body().full(this, this::goOnSoon)) {
      paused = true;
    } else {
      request.resume();
    }
  }

  private void closeIfSlow() {
    long now = System.nanoTime();
    if (paused) {
      pace.begin(now);
    } else if (silentFor() > idleTimeout.toNanos() || pace.tooSlow(now)) {
      close();
    }
  }

  private void take(Admission admitted, ByteBuffer chunk) {
    lastProgress = System.nanoTime();
    pace.took(chunk.remaining());
    if (closed || answered) {
      return;
    }
    long before = came;
    came += chunk.remaining();
    OptionalLong most = most(admitted);
    if (most.isPresent() && came > most.getAsLong()) {
      refuse(
          new Failure.InvalidRequest(
              "Expected a body of at most " + most.getAsLong() + " bytes, found more"));
      return;
    }
    if (before < admitted.skip()) {
      int known = (int) Math.min(admitted.skip() - before, chunk.remaining());
      chunk.position(chunk.position() + known);
    }
    if (admitted.upload().body().append(this, chunk, this::goOnSoon)) {
      paused = true;
      request.pause();
    }
  }

  /// Returns the maximum length of the body in bytes; empty if the client announced neither the
  /// length of the body nor the total of the upload.
  private static OptionalLong most(Admission admitted) {
    UploadRequest wanted = admitted.wanted();
    OptionalLong total = admitted.upload().total();
    if (wanted.length().isPresent() || total.isEmpty()) {
      return wanted.length();
    }
    return OptionalLong.of(total.getAsLong() - wanted.first());
  }

  private void goOnSoon() {
    context.runOnContext(_ -> {
      // `lastProgress` is set before `paused` becomes false, so that another thread never counts
      // the pause as silence.
      lastProgress = System.nanoTime();
      paused = false;
      pace.begin(lastProgress);
      request.resume();
    });
  }

  private void bodyEnded(Admission admitted) {
    stopTimer();
    if (answered || closed) {
      return;
    }
    Upload upload = admitted.upload();
    UploadRequest wanted = admitted.wanted();
    long received = upload.body().received();
    boolean atTotal = upload.total().equals(OptionalLong.of(received));
    boolean last =
        switch (wanted.ending()) {
          case HERE -> true;
          case LATER -> false;
          case AT_TOTAL -> atTotal;
        };
    boolean aborted = upload.body().aborted();
    OptionalLong expected = last && upload.total().isPresent() ? most(admitted) : wanted.length();
    if (!aborted && expected.isPresent() && came < expected.getAsLong()) {
      refuse(
          new Failure.InvalidRequest(
              "Expected a body of " + expected.getAsLong() + " bytes, found " + came));
      return;
    }
    slot.detach(upload, this, last);
    // This code confirms a part, unless it is the last part or the upload's stream was aborted. In
    // these two cases, the client gets the outcome of the import as its response.
    if (!last && !aborted) {
      answered = true;
      HttpServerResponse response = request.response();
      response.putHeader(UploadRequest.UPLOAD_OFFSET, Long.toString(received));
      response.putHeader(UploadRequest.UPLOAD_COMPLETE, "?0");
      response.setStatusCode(204).end();
    }
  }

  /// Handles a connection that was lost before the body had ended.
  private void ended(Throwable cause) {
    gone = true;
    cut();
  }

  private void cut() {
    stopTimer();
    Admission admitted = admission;
    if (admitted == null || answered || closed) {
      return;
    }
    closed = true;
    slot.cut(admitted.upload(), this);
    LOG.infof(
        "The connection of the upload was lost: bytes=%d", admitted.upload().body().received());
  }

  private void succeed(Creation creation) {
    if (answered || closed) {
      return;
    }
    answered = true;
    Notation notation = Notation.YAML;
    request
        .response()
        .setStatusCode(201)
        .putHeader("Location", "/volume")
        .putHeader("Content-Type", notation.mediaType())
        .end(Buffer.buffer(notation.write(creation.source().document())));
  }

  private void refuse(Failure failure) {
    stopTimer();
    if (answered || closed) {
      return;
    }
    answered = true;
    Admission admitted = admission;
    if (admitted != null) {
      slot.cut(admitted.upload(), this);
    }
    // If a client can continue the current upload, the response contains the offset at which the
    // upload continues.
    slot.current()
        .filter(current -> !current.complete() && !current.body().aborted())
        .ifPresent(current ->
            request
                .response()
                .putHeader(UploadRequest.UPLOAD_OFFSET, Long.toString(current.body().received())));
    EarlyRefusal.refuse(routing, failure);
  }

  private void stopTimer() {
    if (idleTimer >= 0) {
      vertx.cancelTimer(idleTimer);
      idleTimer = -1;
    }
  }

  /// Returns the chunk's bytes without a copy. Vert.x does not change these bytes after it has
  /// passed the chunk to the handler.
  @SuppressWarnings("deprecation") // The replacement is in Vert.x 5; other methods copy the bytes.
  private static ByteBuffer bytesOf(Buffer chunk) {
    return chunk.getByteBuf().nioBuffer();
  }
}
