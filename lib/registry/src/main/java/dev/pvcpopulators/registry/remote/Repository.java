package dev.pvcpopulators.registry.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.cloud.tools.jib.http.Authorization;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.ConnectionGuard;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.DownloadClient;
import dev.pvcpopulators.http.Response;
import dev.pvcpopulators.http.ResponseBody;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.http.Transfer;
import dev.pvcpopulators.http.retry.ContentRange;
import dev.pvcpopulators.http.retry.Retries;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.ManifestJson;
import dev.pvcpopulators.registry.MediaTypes;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.RegistryLimits;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.apache.http.HttpHeaders;
import org.apache.http.HttpStatus;

/// A repository at one endpoint. Each method makes one attempt to get a manifest or a blob, or to
/// check that a blob exists (OCI distribution-spec 1.1, "Pulling").
///
/// @param guard the guard of requests to the endpoint
record Repository(
    Endpoint endpoint, DownloadClient client, Authenticator authenticator, ConnectionGuard guard) {
  private static final String MANIFEST_TYPES =
      String.join(
          ", ",
          "application/vnd.oci.image.manifest.v1+json",
          "application/vnd.oci.image.index.v1+json",
          "application/vnd.oci.artifact.manifest.v1+json",
          "application/vnd.docker.distribution.manifest.v2+json",
          "application/vnd.docker.distribution.manifest.list.v2+json");

  private static final String SCHEMA_1 = "application/vnd.docker.distribution.manifest.v1+";
  private static final int ERROR_LENGTH = 16 << 10;
  private static final Pattern ERROR_CODE = Pattern.compile("[A-Z_]{1,64}");

  /// Returns the endpoint for messages.
  @Override
  public String toString() {
    return endpoint.toString();
  }

  /// Fetches a manifest.
  ///
  /// @param qualifier tag or digest
  /// @param expected the required digest of the manifest, if known
  /// @param size the required length of the manifest in bytes, if known
  RawManifest manifest(
      String qualifier, Optional<Digest> expected, OptionalLong size, Transfer transfer)
      throws IOException {
    String what = "manifest " + qualifier;
    try (Response answer =
        get(endpoint.manifest(qualifier), Map.of(HttpHeaders.ACCEPT, MANIFEST_TYPES), transfer)) {
      if (answer.status() != 200) {
        throw refused(answer, what);
      }
      byte[] bytes = answer.bytes(RegistryLimits.MANIFEST_LENGTH + 1);
      if (bytes.length > RegistryLimits.MANIFEST_LENGTH) {
        throw new MalformedImageException(
            "Manifest",
            -1,
            "expected at most %s bytes from %s, found more"
                .formatted(RegistryLimits.MANIFEST_LENGTH, endpoint));
      }
      String noted = what + answer.encodingNote();
      if (size.isPresent()) {
        requireSize(noted, size.getAsLong(), bytes.length);
      }
      Digest.Algorithm algorithm = expected.map(Digest::algorithm).orElse(Digest.Algorithm.SHA256);
      Digest found = Digest.of(algorithm, bytes);
      if (expected.isPresent()) {
        requireSame(expected.get(), found, noted);
      }
      Optional<Digest> announced = answer.header("Docker-Content-Digest").flatMap(Repository::read);
      if (announced.isPresent()) {
        requireSame(announced.get(), Digest.of(announced.get().algorithm(), bytes), noted);
      }
      return supported(
          new RawManifest(
              MediaTypes.bare(answer.header(HttpHeaders.CONTENT_TYPE).orElse("")),
              found,
              ManifestJson.read(bytes, what)));
    }
  }

  private void requireSame(Digest expected, Digest found, String what)
      throws DigestMismatchException {
    if (!found.equals(expected)) {
      throw new DigestMismatchException(
          "Cannot accept %s from %s: expected %s, found %s"
              .formatted(what, endpoint, expected, found));
    }
  }

  /// Parses a digest; empty if the text is not a digest of a supported algorithm.
  private static Optional<Digest> read(String header) {
    try {
      return Optional.of(Digest.parse(header.strip()));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private RawManifest supported(RawManifest manifest) throws UnsupportedFeatureException {
    JsonNode version = manifest.document().path("schemaVersion");
    if (manifest.mediaType().startsWith(SCHEMA_1) || version.asInt(2) == 1) {
      throw new UnsupportedFeatureException(
          "The image at "
              + endpoint
              + " has a manifest of Docker schema 1, which names no sizes and has been withdrawn;"
              + " push it again with a current tool");
    }
    return manifest;
  }

  /// Starts the transfer of a blob.
  ///
  /// @param offset the offset of the first byte, below the descriptor's size
  ResponseBody blob(Descriptor descriptor, long offset, Transfer transfer) throws IOException {
    Map<String, String> headers =
        offset == 0 ? Map.of() : Map.of(HttpHeaders.RANGE, "bytes=" + offset + "-");
    Response answer = get(endpoint.blob(descriptor.digest()), headers, transfer);
    try {
      return switch (answer.status()) {
        case 200 -> whole(answer, descriptor, offset);
        case 206 -> part(answer, descriptor, offset);
        default -> throw refused(answer, named(descriptor));
      };
    } catch (IOException | RuntimeException e) {
      answer.close();
      throw e;
    }
  }

  /// Starts the transfer of a part of a blob.
  ///
  /// @param offset the offset of the part's first byte
  /// @param length the number of bytes, at least 1; the part ends within the descriptor's size
  /// @throws SourceUnavailableException if the response is not the requested part
  ResponseBody range(Descriptor descriptor, long offset, long length, Transfer transfer)
      throws IOException {
    long last = offset + length - 1;
    String asked = "bytes=" + offset + "-" + last;
    Response answer =
        get(endpoint.blob(descriptor.digest()), Map.of(HttpHeaders.RANGE, asked), transfer);
    try {
      if (answer.status() != HttpStatus.SC_PARTIAL_CONTENT && answer.status() != HttpStatus.SC_OK) {
        throw refused(answer, named(descriptor));
      }
      Optional<ContentRange> found =
          answer.header(HttpHeaders.CONTENT_RANGE).flatMap(ContentRange::parse);
      boolean same =
          answer.status() == HttpStatus.SC_PARTIAL_CONTENT
              && found.isPresent()
              && found.get().start() == offset
              && found.get().last() == last
              && found.get().total().orElse(descriptor.size()) == descriptor.size();
      if (!same) {
        throw new SourceUnavailableException(
            "Cannot read a part of "
                + named(descriptor)
                + " from "
                + endpoint
                + ": expected "
                + asked
                + " of "
                + descriptor.size()
                + ", found HTTP "
                + answer.status()
                + (answer.status() == HttpStatus.SC_OK ? " with all of it" : " with another part"));
      }
      return new ResponseBody(answer, 0, true);
    } catch (IOException | RuntimeException e) {
      answer.close();
      throw e;
    }
  }

  private static String named(Descriptor descriptor) {
    return "blob " + descriptor.digest();
  }

  private ResponseBody whole(Response answer, Descriptor descriptor, long offset)
      throws IOException {
    if (answer.length() >= 0) {
      requireSize(named(descriptor) + answer.encodingNote(), descriptor.size(), answer.length());
    }
    return new ResponseBody(answer, offset, false);
  }

  private ResponseBody part(Response answer, Descriptor descriptor, long offset)
      throws IOException {
    Optional<ContentRange> range =
        answer.header(HttpHeaders.CONTENT_RANGE).flatMap(ContentRange::parse);
    if (offset == 0 || range.isEmpty() || range.get().start() != offset) {
      throw new SourceUnavailableException(
          "Cannot read %s from %s: expected bytes from %s on, found others"
              .formatted(named(descriptor), endpoint, offset));
    }
    if (range.get().total().isPresent()) {
      requireSize(named(descriptor), descriptor.size(), range.get().total().getAsLong());
    }
    return new ResponseBody(answer, 0, true);
  }

  private void requireSize(String what, long expected, long found) throws DigestMismatchException {
    if (found != expected) {
      throw new DigestMismatchException(
          "Cannot accept %s from %s: expected %s bytes, found %s"
              .formatted(what, endpoint, expected, found));
    }
  }

  /// Requires that the repository has the descriptor's blob. If the repository reports the blob's
  /// size, that size must be the descriptor's size.
  ///
  /// @throws DigestMismatchException if the two sizes differ
  void requireBlob(Descriptor descriptor, Transfer transfer) throws IOException {
    URI uri = endpoint.blob(descriptor.digest());
    try (Response answer =
        authenticated(shown -> client.head(uri, Map.of(), shown, guard, transfer), transfer)) {
      if (answer.status() != HttpStatus.SC_OK) {
        throw refused(answer, named(descriptor));
      }
      // The response to a HEAD request has no body, but may give the length of the blob.
      Optional<String> length = answer.header(HttpHeaders.CONTENT_LENGTH);
      if (length.isPresent() && !length.get().strip().equals(Long.toString(descriptor.size()))) {
        throw new DigestMismatchException(
            "Cannot accept %s from %s: expected %s bytes, found another length"
                .formatted(named(descriptor), endpoint, descriptor.size()));
      }
    }
  }

  private Response get(URI uri, Map<String, String> headers, Transfer transfer) throws IOException {
    return authenticated(
        shown -> client.get(uri, headers, shown, _ -> true, guard, transfer), transfer);
  }

  /// A function that sends one request to the registry.
  @FunctionalInterface
  private interface Question {
    /// Sends the request.
    ///
    /// @param authorization the authorization header; empty to send none
    Response ask(Map<String, String> authorization) throws IOException;
  }

  /// Sends a request. If the registry answers with a challenge, sends the request once more with
  /// the authorization for that challenge. A challenge is expected for the first request, and again
  /// after a token has expired.
  private Response authenticated(Question question, Transfer transfer) throws IOException {
    Optional<Authorization> shown = authenticator.current();
    Response answer = question.ask(header(shown));
    if (answer.status() != 401 || !answer.home()) {
      return answer;
    }
    answer.close();
    Authorization other =
        authenticator.answer(
            Challenge.parse(answer.headers(HttpHeaders.WWW_AUTHENTICATE)), shown, transfer);
    return question.ask(header(Optional.of(other)));
  }

  static Map<String, String> header(Optional<Authorization> authorization) {
    return authorization
        .map(it -> Map.of(HttpHeaders.AUTHORIZATION, it.toString()))
        .orElse(Map.of());
  }

  private IOException refused(Response answer, String what) throws SourceDeniedException {
    int status = answer.status();
    if (answer.home() && (status == 401 || status == 403)) {
      return authenticator.denied();
    }
    String found =
        "Cannot read "
            + what
            + " from "
            + endpoint
            + ": HTTP "
            + status
            + errorCode(answer)
            + (answer.home() ? "" : " from the host that it redirects to");
    return Retries.failure(answer, found, "");
  }

  /// Returns a space and the first code of the registry's error document (OCI distribution-spec
  /// 1.1, "Error Codes"); an empty string if there is no such code. Does not return the document's
  /// message, which is untrusted text and could quote the request.
  private static String errorCode(Response answer) {
    try {
      JsonNode document = ManifestJson.read(answer.bytes(ERROR_LENGTH), "Error");
      String code = document.path("errors").path(0).path("code").asText("");
      return ERROR_CODE.matcher(code).matches() ? " " + code : "";
    } catch (IOException _) {
      // The body is not an error document, or cannot be read. The exception's message then has the
      // HTTP status without an error code.
      return "";
    }
  }
}
