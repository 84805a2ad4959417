package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.volume.Notation;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.Locale;

/// `/q/openapi`: the description of `/volume` in OpenAPI, which is the resource
/// `META-INF/openapi.yaml`. The OpenAPI extension of Quarkus would also serve this resource, but it
/// would parse the resource and serialise it again at each start (decision 0023).
@Path("/q/openapi")
public class DescriptionResource {
  private static final String RESOURCE = "/META-INF/openapi.yaml";

  /// Returns the description.
  ///
  /// @param format `json` or `yaml`, in upper or lower case, takes precedence over `Accept`; with
  ///   any other value, the client's preferred media type decides
  @GET
  @RunOnVirtualThread
  @Produces({"application/yaml", MediaType.APPLICATION_JSON})
  public Response description(
      @Context HttpHeaders headers, @QueryParam("format") @DefaultValue("") String format)
      throws IOException {
    Notation notation =
        switch (format.toLowerCase(Locale.ROOT)) {
          case "json" -> Notation.JSON;
          case "yaml" -> Notation.YAML;
          default -> Documents.chosen(headers, Notation.YAML);
        };
    byte[] yaml = Pages.read(RESOURCE);
    return Response.ok(
            switch (notation) {
              case YAML -> yaml;
              case JSON -> notation.write(Notation.YAML.read(yaml));
            })
        .type(notation.mediaType())
        .header("Cache-Control", "no-store")
        .header("Vary", "Accept")
        .build();
  }
}
