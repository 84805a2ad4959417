package dev.pvcpopulators.kit.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Notation;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Multi;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;

/// `/volume/status`: the status, once or as a live stream.
@Path("/volume/status")
public class StatusResource {
  private final VolumeLifecycle lifecycle;
  private final StatusStream stream;

  StatusResource(VolumeLifecycle lifecycle, StatusStream stream) {
    this.lifecycle = lifecycle;
    this.stream = stream;
  }

  /// Returns the status once.
  @GET
  @NonBlocking
  @Produces({MediaType.APPLICATION_JSON, "application/yaml"})
  public Response status(@Context HttpHeaders headers) {
    return Documents.answer(200, lifecycle.status().document(), headers, Notation.JSON).build();
  }

  /// Returns the last failures, the newest first; see [VolumeLifecycle#failures].
  @GET
  @Path("failures")
  @NonBlocking
  @Produces({MediaType.APPLICATION_JSON, "application/yaml"})
  public Response failures(@Context HttpHeaders headers) {
    ArrayNode failures = JsonNodeFactory.instance.arrayNode();
    lifecycle.failures().forEach(failure -> failures.add(failure.document()));
    return Documents.answer(200, failures, headers, Notation.JSON).build();
  }

  /// Streams the status until the volume is ready, failed or deleted; with `?follow=true`, until
  /// the client closes the connection or the service stops.
  @GET
  @NonBlocking
  @Produces(MediaType.SERVER_SENT_EVENTS)
  public Multi<OutboundSseEvent> stream(
      @Context Sse sse, @QueryParam("follow") @DefaultValue("false") boolean follow) {
    return stream.open(sse, follow);
  }
}
