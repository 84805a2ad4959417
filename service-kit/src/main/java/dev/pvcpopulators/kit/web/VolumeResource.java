package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Deletion;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.VolumeChangedException;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeStatus;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// `/volume`: creates the volume, describes it, removes it.
@Path("/volume")
public class VolumeResource {
  private static final String RETRY_SECONDS = "2";

  private final VolumeLifecycle lifecycle;
  private final Populator populator;

  VolumeResource(VolumeLifecycle lifecycle, Populator populator) {
    this.lifecycle = lifecycle;
    this.populator = populator;
  }

  /// Creates the volume and answers when the volume can be used. If the time that `Prefer` states
  /// passes first, the answer is `202 Accepted`, and the creation continues. The creation also
  /// continues if the client closes the connection.
  @PUT
  @RunOnVirtualThread
  @Consumes(MediaType.WILDCARD)
  @Produces({"application/yaml", MediaType.APPLICATION_JSON})
  public Response put(
      InputStream body, @Context HttpHeaders headers, @Context RoutingContext context)
      throws VolumeException, VolumeChangedException, IOException, InterruptedException {
    VolumeRequest request =
        RequestBody.read(body, headers.getMediaType(), populator.overridableFields());
    List<String> prefer = Optional.ofNullable(headers.getRequestHeader("Prefer")).orElse(List.of());
    Optional<Duration> patience = Preference.of(prefer).patience();
    CompletableFuture<Creation> asked = lifecycle.put(request);
    cancelAtEnd(asked, context);
    Creation creation = await(asked, patience);
    if (creation == null) {
      asked.cancel(false);
      return accepted(headers, lifecycle.status())
          .header("Preference-Applied", applied(patience))
          .build();
    }
    int code = creation.created() ? 201 : 200;
    return Documents.answer(code, creation.source().document(), headers, Notation.YAML).build();
  }

  /// Returns the reference to the volume. If the volume cannot be used, returns the status of its
  /// creation or removal, or a problem with the reason.
  @GET
  @RunOnVirtualThread
  @Produces({"application/yaml", MediaType.APPLICATION_JSON})
  public Response get(@Context HttpHeaders headers) {
    VolumeStatus status = lifecycle.status();
    if (status.source() != null) {
      return Documents.answer(200, status.source().document(), headers, Notation.YAML).build();
    }
    if (status.failure() != null) {
      return Documents.problem(Problem.of(status.failure()));
    }
    if (status.phase() == Phase.Absent) {
      return Documents.problem(
          Problem.of(404, "Not Found", "There is no volume: none was requested"));
    }
    return accepted(headers, status).build();
  }

  /// Cancels the creation or removes the volume, and answers when no volume is left. If `If-Match`
  /// does not match the revision of the status document, nothing is cancelled or removed, and the
  /// answer is `412 Precondition Failed`.
  @DELETE
  @RunOnVirtualThread
  @Consumes(MediaType.WILDCARD)
  public void delete(
      InputStream body, @Context HttpHeaders headers, @Context RoutingContext context)
      throws VolumeException, VolumeChangedException, InterruptedException {
    RequestBody.skip(body);
    List<String> ifMatch =
        Optional.ofNullable(headers.getRequestHeader(HttpHeaders.IF_MATCH)).orElse(List.of());
    CompletableFuture<Deletion> asked = lifecycle.delete(Precondition.of(ifMatch));
    cancelAtEnd(asked, context);
    await(asked, Optional.empty());
  }

  /// Cancels the future when the client disconnects, so that [#await] returns. If the connection is
  /// closed already, cancels the future at once.
  private static void cancelAtEnd(CompletableFuture<?> asked, RoutingContext context) {
    context.addEndHandler(_ -> asked.cancel(false));
    // Vert.x does not call an end handler that is added after the connection was closed.
    if (context.response().closed()) {
      asked.cancel(false);
    }
  }

  private static Response.ResponseBuilder accepted(HttpHeaders headers, VolumeStatus status) {
    return Documents.answer(202, status.document(), headers, Notation.YAML)
        .header("Location", "/volume")
        .header("Retry-After", RETRY_SECONDS);
  }

  private static String applied(Optional<Duration> patience) {
    return patience
        .filter(Duration::isPositive)
        .map(duration -> "wait=" + duration.toSeconds())
        .orElse("respond-async");
  }

  /// Waits for the result; returns null if the time limit passed, or the client has disconnected.
  private static <T> @Nullable T await(CompletableFuture<T> asked, Optional<Duration> patience)
      throws VolumeException, VolumeChangedException, InterruptedException {
    try {
      return patience.isEmpty()
          ? asked.get()
          : asked.get(patience.get().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | CancellationException _) {
      return null;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof VolumeException failed) {
        throw failed;
      }
      if (e.getCause() instanceof VolumeChangedException changed) {
        throw changed;
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
