package dev.pvcpopulators.kit.web;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Problem;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/// Creates answers of Quarkus REST that contain a problem or another document, such as a status.
final class Documents {
  private static final MediaType YAML = MediaType.valueOf(Notation.YAML.mediaType());

  private Documents() {}

  /// Returns a builder for an answer whose body is a document in the notation that the client
  /// prefers.
  ///
  /// @param headers the request's headers, with the media types that the client accepts
  /// @param usual the notation for a client without a preference
  static Response.ResponseBuilder answer(
      int status, JsonNode document, HttpHeaders headers, Notation usual) {
    Notation notation = chosen(headers, usual);
    return Response.status(status)
        .type(notation.mediaType())
        .header("Cache-Control", "no-store")
        .header("Vary", "Accept")
        .entity(notation.write(document));
  }

  static Response problem(Problem problem) {
    return Response.status(problem.status())
        .type(Problem.MEDIA_TYPE)
        .header("Cache-Control", "no-store")
        .entity(problem.toJson())
        .build();
  }

  /// Returns the notation that the client prefers.
  ///
  /// @param headers the request's headers, with the media types that the client accepts
  /// @param usual the notation for a client without a preference
  static Notation chosen(HttpHeaders headers, Notation usual) {
    for (MediaType type : headers.getAcceptableMediaTypes()) {
      boolean yaml = type.isCompatible(YAML);
      boolean json = type.isCompatible(MediaType.APPLICATION_JSON_TYPE);
      if (yaml && json) {
        return usual;
      }
      if (yaml || json) {
        return yaml ? Notation.YAML : Notation.JSON;
      }
    }
    return usual;
  }
}
