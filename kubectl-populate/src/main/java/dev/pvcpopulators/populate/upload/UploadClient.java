package dev.pvcpopulators.populate.upload;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.populate.claim.Failures;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.SafeText;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.client.Credentials;
import dev.pvcpopulators.volume.client.Trust;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;

/// A client of the path `/upload` of http-upload. The README of http-upload describes the protocol
/// (draft-ietf-httpbis-resumable-upload).
///
/// Each request throws [VolumeException] if the service refuses it. A request throws [IOException]
/// if the connection fails, if an answer with a status other than 2xx and 401 contains no problem
/// document, or if the answer's field Upload-Offset is not a number.
final class UploadClient implements AutoCloseable {
  private static final int MOST_ANSWER = 1 << 18;
  private static final int MOST_TEXT = 500;
  private static final String UPLOAD_KEY = "Upload-Key";
  private static final String UPLOAD_OFFSET = "Upload-Offset";
  private static final String UPLOAD_COMPLETE = "Upload-Complete";
  private static final String CONTENT_TYPE = "Content-Type";
  private static final Duration CONNECT = Duration.ofSeconds(20);

  /// Time limit for the request for the offset.
  private static final Duration SHORT = Duration.ofSeconds(30);

  /// Time limit for a part; [PartSize] keeps the time of a part far below this limit.
  private static final Duration PART = Duration.ofMinutes(2);

  /// Time limit for the request that ends the upload. The limit is long, because the service
  /// flushes the disk before it answers.
  private static final Duration END = Duration.ofHours(1);

  private final URI url;
  private final String authorization;
  private final HttpClient client;

  /// Creates a client without opening a connection.
  ///
  /// @param url `https://HOST:PORT/upload`
  /// @param certificate the only certificate that the client accepts, in PEM
  UploadClient(URI url, String certificate, Credentials.Token token) throws IOException {
    this.url = url;
    this.authorization = token.authorization().orElseThrow();
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(CONNECT)
            .sslContext(new Trust.Exactly(certificate).context().orElseThrow())
            .build();
  }

  /// Returns the progress of the service's current upload, even if another client began it.
  Place place() throws IOException, InterruptedException, VolumeException {
    HttpResponse<byte[]> answer =
        send(request(SHORT).method("HEAD", BodyPublishers.noBody()), "Reading the offset");
    return new Place(
        answer.headers().firstValue(UPLOAD_KEY).orElse(""),
        offset(answer, 0),
        answer.headers().firstValue(UPLOAD_COMPLETE).filter("?1"::equals).isPresent());
  }

  /// Begins the upload with its first part. If the service has an interrupted upload, the new
  /// upload replaces it.
  ///
  /// @param format the format of the image; empty if the service detects it
  /// @param total bytes of the whole upload, if known
  /// @return the number of bytes that have arrived
  long begin(String key, Optional<ImageFormat> format, byte[] bytes, int count, OptionalLong total)
      throws IOException, InterruptedException, VolumeException {
    URI begun = format.map(named -> URI.create(url + "?format=" + named.word())).orElse(url);
    HttpRequest.Builder request =
        request(PART)
            .uri(begun)
            .header(UPLOAD_KEY, key)
            .header(UPLOAD_COMPLETE, "?0")
            .header(CONTENT_TYPE, "application/octet-stream");
    if (total.isPresent()) {
      request.header("Content-Range", "bytes 0-%d/%d".formatted(count - 1, total.getAsLong()));
    }
    return offset(send(request.PUT(part(bytes, count)), "Beginning the upload"), count);
  }

  /// Continues the upload.
  ///
  /// @param offset the offset in the image of the first byte to send
  /// @return the number of bytes that have arrived
  long proceed(String key, long offset, byte[] bytes, int count)
      throws IOException, InterruptedException, VolumeException {
    HttpRequest.Builder request =
        continuing(key, offset, PART)
            .header(UPLOAD_COMPLETE, "?0")
            .method("PATCH", part(bytes, count));
    return offset(send(request, "Uploading from byte " + offset), offset + count);
  }

  /// Ends the upload, and returns when the disk is verified and flushed.
  ///
  /// @param sha256 the SHA-256 of the whole image, in hexadecimal
  void finish(String key, long total, String sha256)
      throws IOException, InterruptedException, VolumeException {
    String digest = Base64.getEncoder().encodeToString(HexFormat.of().parseHex(sha256));
    send(
        continuing(key, total, END)
            .header(UPLOAD_COMPLETE, "?1")
            .header("Repr-Digest", "sha-256=:%s:".formatted(digest))
            .method("PATCH", BodyPublishers.noBody()),
        "Ending the upload");
  }

  private HttpRequest.Builder continuing(String key, long offset, Duration limit) {
    return request(limit)
        .header(UPLOAD_KEY, key)
        .header(UPLOAD_OFFSET, Long.toString(offset))
        .header(CONTENT_TYPE, "application/partial-upload");
  }

  private HttpRequest.Builder request(Duration limit) {
    return HttpRequest.newBuilder(url).timeout(limit).header("Authorization", authorization);
  }

  /// Returns a body that the client reads while it sends the request. `BodyPublishers.ofByteArray`
  /// is not used, because it copies the whole part first.
  private static BodyPublisher part(byte[] bytes, int count) {
    return BodyPublishers.fromPublisher(
        BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes, 0, count)), count);
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request, String action)
      throws IOException, InterruptedException, VolumeException {
    HttpResponse<byte[]> answer =
        client.send(
            request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_ANSWER));
    if (answer.statusCode() >= 200 && answer.statusCode() < 300) {
      return answer;
    }
    if (answer.statusCode() == HttpURLConnection.HTTP_UNAUTHORIZED) {
      // The answer to HEAD has no body, and therefore no problem document.
      throw new VolumeException(
          new Failure.Unauthenticated(
              "%s: the service refuses the token of the claim's Secret".formatted(action)));
    }
    Problem problem;
    try {
      problem = Problem.read(Notation.JSON.read(answer.body()));
    } catch (IOException e) {
      throw new IOException("%s: status %d".formatted(action, answer.statusCode()), e);
    }
    String detail = "%s: %s".formatted(action, SafeText.of(problem.detail(), MOST_TEXT));
    throw new VolumeException(
        Failures.of(problem.kind().orElse(null), detail, problem.retryable()));
  }

  private static long offset(HttpResponse<byte[]> answer, long otherwise) throws IOException {
    String text = answer.headers().firstValue(UPLOAD_OFFSET).orElse(Long.toString(otherwise));
    if (!text.matches("\\d{1,18}")) {
      throw new IOException("Expected a number of bytes in Upload-Offset, found another text");
    }
    return Long.parseLong(text);
  }

  /// Cancels the request in progress, if any.
  @Override
  public void close() {
    client.shutdownNow();
  }
}
