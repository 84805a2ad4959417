package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeLifecycle;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.web.EarlyRefusal;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// `PUT`, `PATCH` and `HEAD /upload`: the bulk path, past Quarkus REST because a raw route with
/// pause and resume moves three times as much (docs/decisions/0004).
///
/// A request is paused until everything that can refuse it has been asked, so a client that sent
/// `Expect: 100-continue` is refused before it sends the body.
@Singleton
final class UploadRoute {
  private static final Logger LOG = Logger.getLogger(UploadRoute.class);
  private static final String ALLOW = "HEAD, OPTIONS, PATCH, PUT";

  private final VolumeLifecycle lifecycle;
  private final UploadDesk desk;
  private final UploadVolume volume;
  private final HttpUploadSettings settings;

  UploadRoute(
      VolumeLifecycle lifecycle,
      UploadDesk desk,
      UploadVolume volume,
      HttpUploadSettings settings) {
    this.lifecycle = lifecycle;
    this.desk = desk;
    this.volume = volume;
    this.settings = settings;
  }

  void register(@Observes Router router) {
    // curl appends the file's name to a URL that ends with a slash; the name means nothing to us.
    router.route("/upload").handler(this::handle);
    router.route("/upload/").handler(this::handle);
    router.routeWithRegex("/upload/[^/]{1,255}").handler(this::handle);
  }

  private void handle(RoutingContext routing) {
    HttpServerRequest request = routing.request();
    HttpMethod method = request.method();
    if (method.equals(HttpMethod.PUT) || method.equals(HttpMethod.PATCH)) {
      receive(routing);
    } else if (method.equals(HttpMethod.HEAD)) {
      tellOffset(request.response());
    } else if (method.equals(HttpMethod.OPTIONS)) {
      request.response().setStatusCode(204).putHeader("Allow", ALLOW).end();
    } else {
      EarlyRefusal.refuse(
          routing,
          Problem.of(
              405, "Method Not Allowed", "Expected " + ALLOW + " of /upload, found " + method),
          Map.of("Allow", ALLOW));
    }
  }

  /// How far the upload is, as draft-ietf-httpbis-resumable-upload has it.
  private void tellOffset(HttpServerResponse response) {
    Optional<Upload> upload = desk.current();
    boolean ready = lifecycle.status().phase() == Phase.Ready;
    response.putHeader("Cache-Control", "no-store");
    response.putHeader(UploadRequest.UPLOAD_COMPLETE, ready ? "?1" : "?0");
    long offset = upload.map(current -> current.body().received()).orElse(0L);
    if (upload.isPresent() || !ready) {
      response.putHeader(UploadRequest.UPLOAD_OFFSET, Long.toString(offset));
    }
    upload
        .map(Upload::total)
        .ifPresent(total ->
            total.ifPresent(
                bytes -> response.putHeader(UploadRequest.UPLOAD_LENGTH, Long.toString(bytes))));
    response.setStatusCode(204).end();
  }

  private void receive(RoutingContext routing) {
    HttpServerRequest request = routing.request();
    request.pause();
    Context context = routing.vertx().getOrCreateContext();
    Incoming incoming = new Incoming(routing, context);
    // Statting the volume may block (a network file system), so not on this event loop.
    Thread.startVirtualThread(() -> {
      try {
        incoming.admit();
      } catch (VolumeException e) {
        context.runOnContext(_ -> incoming.refuse(e.failure()));
      } catch (RuntimeException e) {
        context.runOnContext(_ -> incoming.refuse(bug(e)));
      }
    });
  }

  private static Failure bug(Throwable cause) {
    String id = Long.toHexString(System.nanoTime());
    LOG.errorf(cause, "Receiving an upload failed, id %s", id);
    return new Failure.Bug(id, "Receiving the upload failed; the log has the cause under this id");
  }

  /// One request that brings bytes.
  private final class Incoming implements Upload.Connection {
    private final RoutingContext routing;
    private final HttpServerRequest request;
    private final Context context;
    private final Vertx vertx;

    // Written before the request is resumed, read on the event loop.
    private volatile @Nullable Upload upload;
    private volatile @Nullable UploadRequest facts;
    private volatile long lastProgress = System.nanoTime();
    private volatile boolean paused;

    // Touched on the event loop only.
    private long toSkip;
    private boolean gone;
    private boolean closed;
    private boolean ended;
    private boolean followedAgain;
    private long idleTimer = -1;

    Incoming(RoutingContext routing, Context context) {
      this.routing = routing;
      this.request = routing.request();
      this.context = context;
      this.vertx = routing.vertx();
      // A client may go while it is still being asked whether its upload can be taken.
      request.exceptionHandler(_ -> gone = true);
    }

    @Override
    public long silentFor() {
      return paused ? 0 : System.nanoTime() - lastProgress;
    }

    @Override
    public void close() {
      context.runOnContext(_ -> {
        Upload now = upload;
        if (now != null) {
          cut(now);
        }
        request.connection().close();
      });
    }

    /// Asks everything that can refuse, then lets the body come.
    void admit() throws VolumeException {
      UploadRequest wanted = UploadRequest.of(request, settings.format());
      facts = wanted;
      boolean begins = wanted.begins() && !request.method().equals(HttpMethod.PATCH);
      if (begins) {
        volume.admit(wanted);
      }
      Upload now = begins ? desk.begin(wanted, this) : desk.resume(wanted, this);
      upload = now;
      long received = now.body().received();
      long skip = received - wanted.first();
      if (skip > 0 && !wanted.part().isEmpty()) {
        desk.detach(now, this, false);
        throw new VolumeException(
            new Failure.VolumeBusy(
                "Expected a part with a Content-Digest to begin at byte "
                    + received
                    + ", found "
                    + wanted.first()));
      }
      if (wanted.length().isPresent()) {
        now.verified().expectPart(wanted.first() + wanted.length().getAsLong(), wanted.part());
      }
      context.runOnContext(_ -> begin(now, skip));
      follow(now);
    }

    /// Joins the creation that PUT /volume began, or begins it, and waits for its end.
    private void follow(Upload now) {
      var _ =
          lifecycle
              .put(VolumeRequest.empty())
              .whenComplete(
                  (creation, failure) -> context.runOnContext(_ -> settle(now, creation, failure)));
    }

    private void begin(Upload now, long skip) {
      toSkip = skip;
      if (ended) {
        return;
      }
      if (gone) {
        cut(now);
        return;
      }
      if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
        request.response().writeContinue();
      }
      lastProgress = System.nanoTime();
      idleTimer =
          vertx.setPeriodic(
              Math.max(1, settings.idleTimeout().toMillis() / 4),
              _ -> {
                if (!paused && silentFor() > settings.idleTimeout().toNanos()) {
                  close();
                }
              });
      request.handler(buffer -> take(now, bytesOf(buffer)));
      request.endHandler(_ -> bodyEnded(now));
      request.exceptionHandler(_ -> cut(now));
      request.resume();
    }

    private void take(Upload now, ByteBuffer chunk) {
      lastProgress = System.nanoTime();
      if (closed || ended) {
        return;
      }
      if (toSkip > 0) {
        int skipped = (int) Math.min(toSkip, chunk.remaining());
        chunk.position(chunk.position() + skipped);
        toSkip -= skipped;
      }
      if (now.body().append(chunk, () -> context.runOnContext(_ -> goOn()))) {
        paused = true;
        request.pause();
      }
    }

    private void goOn() {
      paused = false;
      lastProgress = System.nanoTime();
      request.resume();
    }

    private void bodyEnded(Upload now) {
      stopTimer();
      UploadRequest wanted = facts;
      if (wanted == null || closed || ended) {
        return;
      }
      boolean last =
          wanted.last()
              || (now.total().isPresent() && now.body().received() == now.total().getAsLong());
      desk.detach(now, this, last);
      if (!last && !ended) {
        ended = true;
        HttpServerResponse response = request.response();
        response.putHeader(UploadRequest.UPLOAD_OFFSET, Long.toString(now.body().received()));
        response.putHeader(UploadRequest.UPLOAD_COMPLETE, "?0");
        response.setStatusCode(204).end();
      }
    }

    private void cut(Upload now) {
      stopTimer();
      if (!ended && !closed) {
        closed = true;
        now.verified().partCut(now.body().received());
        desk.detach(now, this, false);
        LOG.infof(
            "The connection that brought the upload broke off: bytes=%d", now.body().received());
      }
    }

    /// The creation has ended: tells the client, who may be in the middle of the body still.
    private void settle(Upload now, @Nullable Creation creation, @Nullable Throwable failure) {
      if (creation != null && !now.taken()) {
        desk.release(now);
        refuse(
            new Failure.VolumeNotEmpty(
                "The volume is ready already; DELETE /volume first to upload another disk"));
      } else if (creation != null) {
        succeed(creation);
      } else {
        Failure reason = failureOf(failure);
        if (!now.taken() && !followedAgain && !(reason instanceof Failure.Cancelled)) {
          followedAgain = true;
          // That was the end of an earlier creation; ours has yet to begin.
          follow(now);
          return;
        }
        desk.release(now);
        refuse(reason);
      }
    }

    private void succeed(Creation creation) {
      if (ended || closed) {
        return;
      }
      ended = true;
      Notation notation = Notation.YAML;
      request
          .response()
          .setStatusCode(201)
          .putHeader("Location", "/volume")
          .putHeader("Content-Type", notation.mediaType())
          .end(Buffer.buffer(notation.write(creation.source().document())));
    }

    void refuse(Failure failure) {
      stopTimer();
      if (ended || closed) {
        return;
      }
      ended = true;
      Upload now = upload;
      if (now != null) {
        desk.detach(now, this, false);
        request
            .response()
            .putHeader(UploadRequest.UPLOAD_OFFSET, Long.toString(now.body().received()));
      }
      EarlyRefusal.refuse(routing, failure);
    }

    private void stopTimer() {
      if (idleTimer >= 0) {
        vertx.cancelTimer(idleTimer);
        idleTimer = -1;
      }
    }
  }

  /// The chunk's own bytes: nobody changes them after it was handed over.
  @SuppressWarnings("deprecation") // Its successor is in Vert.x 5; anything else copies.
  private static ByteBuffer bytesOf(Buffer chunk) {
    return chunk.getByteBuf().nioBuffer();
  }

  private static Failure failureOf(@Nullable Throwable failure) {
    return switch (failure) {
      case VolumeException known -> known.failure();
      case CompletionException wrapped when wrapped.getCause() != null ->
          failureOf(wrapped.getCause());
      case null -> bug(new IllegalStateException("A creation ended without a reason"));
      default -> bug(failure);
    };
  }
}
