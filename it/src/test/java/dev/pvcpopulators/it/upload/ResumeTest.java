package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.RawUpload;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks broken connections and resumed uploads.
@Tag("tools")
final class ResumeTest {
  private static final int CUTS = Rounds.of(4, 20);
  private static final Seed SEED = Seed.of("ResumeTest");

  private static Path image;
  private static byte[] body;
  private static VolumeDirectory volume;
  private static Service service;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    volume = VolumeDirectory.in(directory, "volume");
    service = Launch.on(volume.path()).start();
    image = Recipe.qcow2().getFirst().make(directory, SEED.random());
    body = Files.readAllBytes(image);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    service.close();
  }

  @AfterEach
  void clear() throws IOException, InterruptedException {
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
  }

  static IntStream cuts() {
    return IntStream.rangeClosed(1, CUTS);
  }

  @ParameterizedTest
  @MethodSource("cuts")
  void curlContinuesAfterALostConnection(int number) throws IOException, InterruptedException {
    Random random = SEED.random(number);
    cut("/upload/", random.nextInt(1, body.length), random.nextBoolean());
    resumeWithCurl();
    assertTheDisk();
  }

  @Test
  void severalCutsInOneUpload() throws IOException, InterruptedException {
    Random random = SEED.random();
    cut("/upload", random.nextInt(1, body.length / 2), random.nextBoolean());
    for (int i = 1; i < 6; i++) {
      service.await("a part to be sent", () -> sendPartAndReset(random));
    }
    resumeWithCurl();
    assertTheDisk();
  }

  @Test
  void aChunkedUploadContinuesWithPatch() throws IOException, InterruptedException {
    int middle = SEED.random().nextInt(1, body.length);
    try (RawUpload chunked =
        new RawUpload(service.base(), "PUT", "/upload", "Transfer-Encoding", "chunked")) {
      chunked.sendChunk(body, 0, middle);
      awaitFirstBytes(service);
    }
    int second = service.await("the upload to continue", () -> patchHalfOfTheRest(middle));
    service
        .http()
        .patch(
            "/upload",
            Arrays.copyOfRange(body, second, body.length),
            "Upload-Offset",
            Integer.toString(second),
            "Upload-Complete",
            "?1")
        .expect(201);
    assertTheDisk();
  }

  @Test
  void partsWithContentRangeAreAnsweredWithTheOffset() throws IOException, InterruptedException {
    int middle = body.length / 3;
    Answer first =
        service
            .http()
            .put("/upload", Arrays.copyOf(body, middle), "Content-Range", range(0, middle))
            .expect(204);
    assertEquals(OptionalLong.of(middle), first.number("upload-offset"), first::toString);
    Answer state = service.http().head("/upload").expect(204);
    assertEquals(OptionalLong.of(middle), state.number("upload-offset"), state::toString);
    assertEquals(OptionalLong.of(body.length), state.number("upload-length"), state::toString);
    assertEquals(Optional.of("?0"), state.header("upload-complete"), state::toString);
    service
        .http()
        .put(
            "/upload",
            Arrays.copyOfRange(body, middle, body.length),
            "Content-Range",
            range(middle, body.length))
        .expect(201);
    assertEquals(
        Optional.of("?1"), service.http().head("/upload").expect(204).header("upload-complete"));
    assertTheDisk();
  }

  /// A client that does not know the last offset sends some bytes twice.
  @Test
  void bytesSentTwiceAreTakenOnce() throws IOException, InterruptedException {
    int middle = body.length / 2;
    service
        .http()
        .put("/upload", Arrays.copyOf(body, middle), "Content-Range", range(0, middle))
        .expect(204);
    int earlier = middle - 100_001;
    service
        .http()
        .put(
            "/upload",
            Arrays.copyOfRange(body, earlier, body.length),
            "Content-Range",
            range(earlier, body.length))
        .expect(201);
    assertTheDisk();
  }

  @Test
  void aGapIsRefusedAndTheUploadStillGoesOn() throws IOException, InterruptedException {
    int middle = body.length / 2;
    service
        .http()
        .put("/upload", Arrays.copyOf(body, middle), "Content-Range", range(0, middle))
        .expect(204);
    service
        .http()
        .put(
            "/upload",
            Arrays.copyOfRange(body, middle + 1, body.length),
            "Content-Range",
            range(middle + 1, body.length))
        .expect(409)
        .problem();
    resumeWithCurl();
    assertTheDisk();
  }

  @Test
  void anotherTotalIsRefusedAndTheUploadStillGoesOn() throws IOException, InterruptedException {
    int middle = body.length / 2;
    service
        .http()
        .put("/upload", Arrays.copyOf(body, middle), "Content-Range", range(0, middle))
        .expect(204);
    Answer refused =
        service
            .http()
            .put(
                "/upload",
                Arrays.copyOfRange(body, middle, body.length),
                "Content-Range",
                "bytes " + middle + "-" + (body.length - 1) + "/" + (body.length + 5));
    assertTrue(refused.status() == 400 || refused.status() == 409, refused::toString);
    refused.problem();
    resumeWithCurl();
    assertTheDisk();
  }

  @Test
  void aPutFromTheFirstByteRestartsTheUpload() throws IOException, InterruptedException {
    byte[] other = new byte[5 << 20];
    SEED.random().nextBytes(other);
    service
        .http()
        .put(
            "/upload",
            Arrays.copyOf(other, 3 << 20),
            "Content-Range",
            "bytes 0-" + ((3 << 20) - 1) + "/" + other.length)
        .expect(204);
    service.http().put("/upload", body).expect(201);
    assertTheDisk();
  }

  @Test
  void refusesAContinuationWithoutAnUpload() throws IOException, InterruptedException {
    service
        .http()
        .put(
            "/upload",
            Arrays.copyOfRange(body, 100, body.length),
            "Content-Range",
            range(100, body.length))
        .expect(409)
        .problem();
  }

  @Test
  void malformedFieldsAreRefused() throws IOException, InterruptedException {
    byte[] ten = new byte[10];
    Http http = service.http();
    http.put("/upload", ten, "Content-Range", "bytes 5-4/10").expect(400).problem();
    http.put("/upload", ten, "Content-Range", "bytes 0-9/9").expect(400).problem();
    http.put("/upload", ten, "Content-Range", "bytes 0-8/10").expect(400).problem();
    http.put("/upload", ten, "Content-Range", "lines 0-9/10").expect(400).problem();
    http.put("/upload", ten, "Upload-Complete", "yes").expect(400).problem();
    http.patch("/upload", ten).expect(400).problem();
    http.patch("/upload", ten, "Upload-Offset", "-1").expect(400).problem();
    volume.assertEmpty();
  }

  /// The digest covers all parts of the upload.
  @Test
  void aDigestOfTheWholeHoldsAcrossACut() throws IOException, InterruptedException {
    String digest = Command.run("sha256sum", image.toString()).substring(0, 64);
    int middle = body.length / 2;
    service
        .http()
        .put(
            "/upload",
            Arrays.copyOf(body, middle),
            "Content-Range",
            range(0, middle),
            "X-Checksum-Sha256",
            digest)
        .expect(204);
    byte[] rest = Arrays.copyOfRange(body, middle, body.length);
    rest[rest.length / 2] ^= 1;
    service
        .http()
        .put("/upload", rest, "Content-Range", range(middle, body.length))
        .expect(422)
        .problem();
    volume.assertEmpty();
  }

  @Test
  void discardsAnUploadThatIsNotResumed(@TempDir Path directory)
      throws IOException, InterruptedException {
    VolumeDirectory other = VolumeDirectory.in(directory, "volume");
    Launch launch = Launch.on(other.path()).with("HTTP_UPLOAD_RESUME_WINDOW", "1s");
    try (Service impatient = launch.start()) {
      try (RawUpload upload = RawUpload.put(impatient.base(), "/upload", body.length)) {
        upload.send(body, 0, body.length / 2);
        awaitFirstBytes(impatient);
        upload.reset();
      }
      Answer answer =
          impatient.await(
              "the end of the resume window",
              () ->
                  Optional.of(impatient.http().get("/volume"))
                      .filter(now -> now.status() != 202 && now.status() != 404));
      assertTrue(answer.expect(502).problem().path("retryable").asBoolean(), answer::toString);
      other.assertEmpty();
      Curl.upload(image, impatient.uri("/upload/")).expect(201);
    }
  }

  /// A client stops sending, but does not close its connection. The service treats the connection
  /// as broken, and accepts other clients.
  @Test
  void aSilentConnectionIsCut(@TempDir Path directory) throws IOException, InterruptedException {
    VolumeDirectory other = VolumeDirectory.in(directory, "volume");
    Launch launch = Launch.on(other.path()).with("HTTP_UPLOAD_IDLE_TIMEOUT", "1s");
    try (Service impatient = launch.start();
        RawUpload silent = RawUpload.put(impatient.base(), "/upload", body.length)) {
      silent.send(body, 0, body.length / 2);
      impatient.await(
          "another upload to be accepted",
          () ->
              // If the host is busy, the idle time-out can also end curl's upload.
              Optional.of(Curl.upload(image, impatient.uri("/upload/")).answer())
                  .filter(answer -> answer.status() == 201));
      other.assertOneDisk();
      QemuImg.assertIdentical(image, "qcow2", other.disk());
    }
  }

  private static void cut(String path, int end, boolean reset) throws IOException {
    try (RawUpload upload = RawUpload.put(service.base(), path, body.length)) {
      upload.send(body, 0, end);
      if (reset) {
        upload.reset();
      }
    }
  }

  /// Sends a part of the body from [#settledOffset] on, and resets the connection.
  ///
  /// @return the offset after the last sent byte; empty if the part could not be sent, because the
  ///   service has not detected yet that the previous connection is broken
  private static Optional<Integer> sendPartAndReset(Random random)
      throws IOException, InterruptedException {
    int offset = Math.toIntExact(settledOffset());
    int end = offset + random.nextInt(1, (body.length - offset) / 2);
    try (RawUpload part = part(offset, body.length)) {
      part.send(body, offset, end);
      part.reset();
      return Optional.of(end);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// Continues a chunked upload with half of its missing bytes. Fails the test if the service's
  /// offset is larger than `sent`.
  ///
  /// @param sent the number of bytes that the client has sent
  /// @return the next offset; empty if the service has not detected the broken connection yet
  private static Optional<Integer> patchHalfOfTheRest(int sent)
      throws IOException, InterruptedException {
    int offset = Math.toIntExact(settledOffset());
    assertTrue(offset <= sent);
    int end = offset + (body.length - offset) / 2;
    Answer waiting =
        service
            .http()
            .patch(
                "/upload",
                Arrays.copyOfRange(body, offset, end),
                "Upload-Offset",
                Integer.toString(offset),
                "Upload-Complete",
                "?0");
    if (busy(waiting)) {
      return Optional.empty();
    }
    waiting.expect(204);
    assertEquals(OptionalLong.of(end), waiting.number("upload-offset"), waiting::toString);
    assertEquals(Optional.of("?0"), waiting.header("upload-complete"), waiting::toString);
    return Optional.of(end);
  }

  /// Waits until the service has received bytes of an upload. If a connection is lost before its
  /// request is admitted, there is no upload to continue.
  private static void awaitFirstBytes(Service receiving) throws IOException, InterruptedException {
    receiving.await(
        "the first bytes",
        () ->
            Optional.of(receiving.http().head("/upload").expect(204))
                .filter(state -> state.number("upload-offset").orElse(0) > 0));
  }

  private static boolean busy(Answer answer) {
    return answer.status() == 409 && answer.problem().path("retryable").asBoolean();
  }

  private static RawUpload part(int first, int total) throws IOException {
    return new RawUpload(
        service.base(),
        "PUT",
        "/upload",
        "Content-Length",
        Integer.toString(total - first),
        "Content-Range",
        range(first, total));
  }

  /// Returns the `Content-Range` of the bytes from `first` to `end`, without the byte at `end`.
  private static String range(int first, int end) {
    return "bytes " + first + "-" + (end - 1) + "/" + body.length;
  }

  /// Returns the offset for the next part. Waits until the offset no longer changes, because bytes
  /// of the broken connection may still arrive.
  private static long settledOffset() throws IOException, InterruptedException {
    long[] last = {-1};
    int[] same = {0};
    return service.await(
        "the upload's offset",
        () -> {
          Answer state = service.http().head("/upload").expect(204);
          long offset = state.number("upload-offset").orElse(-1);
          same[0] = offset == last[0] ? same[0] + 1 : 0;
          last[0] = offset;
          return same[0] >= 10 ? Optional.of(offset) : Optional.empty();
        });
  }

  /// Requests the offset, and sends the bytes after this offset with curl. Repeats these steps
  /// until the service has detected the broken connection.
  private static void resumeWithCurl() throws IOException, InterruptedException {
    service.await(
        "the upload to continue",
        () -> {
          long offset =
              service.http().head("/upload").expect(204).number("upload-offset").orElseThrow();
          Answer answer =
              offset == 0
                  ? Curl.upload(image, service.uri("/upload/")).answer()
                  : Curl.upload(image, service.uri("/upload/"), "-C", Long.toString(offset))
                      .answer();
          return busy(answer) ? Optional.empty() : Optional.of(answer.expect(201));
        });
  }

  private static void assertTheDisk() throws IOException, InterruptedException {
    volume.assertOneDisk();
    QemuImg.assertIdentical(image, "qcow2", volume.disk());
  }
}
