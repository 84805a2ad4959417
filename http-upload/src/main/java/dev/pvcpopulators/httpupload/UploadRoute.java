package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.kit.web.EarlyRefusal;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.VolumeStatus;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Handles `PUT`, `PATCH`, `HEAD` and `OPTIONS` of `/upload`. This route bypasses Quarkus REST,
/// because a raw route with pause and resume has 1.5 to 2 times the throughput of Quarkus REST
/// (docs/decisions/0004).
@Singleton
final class UploadRoute {
  private static final String ALLOW = "HEAD, OPTIONS, PATCH, PUT";

  private final VolumeLifecycle lifecycle;
  private final UploadSlot slot;
  private final UploadAdmission reception;

  UploadRoute(VolumeLifecycle lifecycle, UploadSlot slot, UploadAdmission reception) {
    this.lifecycle = lifecycle;
    this.slot = slot;
    this.reception = reception;
  }

  void register(@Observes Router router) {
    // curl appends the file name to a URL that ends with a slash. The service ignores this name.
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

  private void receive(RoutingContext routing) {
    List<String> codings = routing.request().headers().getAll("Content-Encoding");
    if (codings.stream().allMatch(coding -> coding.strip().equalsIgnoreCase("identity"))) {
      reception.receive(routing);
      return;
    }
    // A body with a Content-Encoding other than `identity` is refused. The offsets and digests of
    // this body would refer to the encoded bytes, and `format=raw` would store the encoded bytes.
    EarlyRefusal.refuse(
        routing,
        Problem.of(
            415,
            "Unsupported Media Type",
            "Expected no Content-Encoding, found one; a compressed image is recognised without it"),
        Map.of("Accept-Encoding", "identity"));
  }

  /// Responds with the offset of the upload (draft-ietf-httpbis-resumable-upload). An upload is
  /// complete when all of its bytes have arrived, even if the volume is not ready.
  private void tellOffset(HttpServerResponse response) {
    Optional<Upload> upload = slot.current();
    VolumeStatus status = lifecycle.status();
    // Between the end of the import and the phase `Ready`, the slot has no upload, but all bytes
    // have arrived.
    boolean imported =
        upload.isEmpty() && (status.phase() == Phase.Finalizing || status.phase() == Phase.Ready);
    boolean complete = imported || upload.filter(Upload::complete).isPresent();
    response.putHeader("Cache-Control", "no-store");
    response.putHeader(UploadRequest.UPLOAD_COMPLETE, complete ? "?1" : "?0");
    long offset =
        upload.map(current -> current.body().received()).orElse(imported ? status.bytesIn() : 0);
    // If the disk was made before a restart of the service, the number of received bytes is
    // unknown.
    if (!imported || offset > 0) {
      response.putHeader(UploadRequest.UPLOAD_OFFSET, Long.toString(offset));
    }
    OptionalLong total = upload.map(Upload::total).orElse(OptionalLong.empty());
    if (total.isPresent()) {
      response.putHeader(UploadRequest.UPLOAD_LENGTH, Long.toString(total.getAsLong()));
    }
    upload
        .flatMap(current -> current.request().key())
        .ifPresent(key -> response.putHeader(UploadRequest.UPLOAD_KEY, key));
    response.setStatusCode(204).end();
  }
}
