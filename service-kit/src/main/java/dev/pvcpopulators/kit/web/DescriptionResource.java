package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.volume.Notation;
import io.smallrye.common.annotation.NonBlocking;
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
import java.io.InputStream;
import java.util.Locale;

/// `/q/openapi`: the description of `/volume` in OpenAPI, which is the resource
/// `META-INF/openapi.yaml`. The OpenAPI extension of Quarkus would also serve this resource, but it
/// parses and writes the resource at each start, which takes a tenth of the time of a start.
@Path("/q/openapi")
public class DescriptionResource {
  private static final String RESOURCE = "/META-INF/openapi.yaml";

  /// Returns the description.
  ///
  /// @param format `json` or `yaml`, as for the extension of Quarkus; otherwise the client's
  ///   preferred media type decides
  @GET
  @NonBlocking
  @Produces({"application/yaml", MediaType.APPLICATION_JSON})
  public Response description(
      @Context HttpHeaders headers, @QueryParam("format") @DefaultValue("") String format)
      throws IOException {
    Notation notation =
        switch (format.toLowerCase(Locale.ROOT)) {
          case "json" -> Notation.JSON;
          case "yaml" -> Notation.YAML;
          default -> Documents.chosen(headers.getAcceptableMediaTypes(), Notation.YAML);
        };
    byte[] yaml = resource();
    return Response.ok(
            switch (notation) {
              case YAML -> yaml;
              case JSON -> notation.write(Notation.YAML.read(yaml));
            })
        .type(notation.mediaType())
        .header("Vary", "Accept")
        .build();
  }

  private static byte[] resource() throws IOException {
    try (InputStream in = DescriptionResource.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("Packaging is wrong: " + RESOURCE + " is missing");
      }
      return in.readAllBytes();
    }
  }
}
