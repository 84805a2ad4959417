package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.ClientErrorException;
import jakarta.ws.rs.NotSupportedException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The body of a request to `/volume`: at most 64 KiB. The body of `PUT` is YAML, JSON or empty.
final class RequestBody {
  private RequestBody() {}

  /// Reads the body.
  ///
  /// @param type the body's media type; without a type, the body is read as YAML, of which JSON is
  ///   a subset
  /// @param allowed the fields that the body may hold
  static VolumeRequest read(InputStream body, @Nullable MediaType type, Set<String> allowed)
      throws VolumeException {
    byte[] bytes = bytes(body);
    return bytes.length == 0
        ? VolumeRequest.empty()
        : VolumeRequest.read(bytes, notation(type), allowed);
  }

  /// Reads and ignores a body of at most 64 KiB, so that the request has arrived completely and the
  /// time-out of its body no longer applies.
  static void skip(InputStream body) {
    bytes(body);
  }

  private static byte[] bytes(InputStream body) {
    byte[] bytes;
    try {
      bytes = body.readNBytes(VolumeRequest.MAX_BYTES + 1);
    } catch (IOException e) {
      // The chunks are invalid, or the client has closed the connection. Both are errors of the
      // client, not of this service.
      throw new BadRequestException("Reading the body: it broke off", e);
    }
    if (bytes.length > VolumeRequest.MAX_BYTES) {
      throw new ClientErrorException(
          "Reading the body: expected at most " + VolumeRequest.MAX_BYTES + " bytes, found more",
          Response.Status.REQUEST_ENTITY_TOO_LARGE);
    }
    return bytes;
  }

  private static Notation notation(@Nullable MediaType type) {
    if (type == null) {
      return Notation.YAML;
    }
    return switch (type.getType() + "/" + type.getSubtype()) {
      case "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml" -> Notation.YAML;
      case "application/json", "text/json" -> Notation.JSON;
      default ->
          throw new NotSupportedException(
              "Reading the body: expected application/yaml or application/json");
    };
  }
}
