package dev.pvcpopulators.httpupload;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.httpupload.RawConnection.Answer;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Phase;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@TestProfile(UploadRouteTest.Directory.class)
@Timeout(1200)
class UploadRouteTest {
  private static final Path VOLUME = temporaryDirectory();
  private static final int LENGTH = 3 << 20;

  @Inject VolumeLifecycle lifecycle;
  @Inject UploadSlot slot;

  private final byte[] disk = new byte[LENGTH];

  UploadRouteTest() {
    new Random(7).nextBytes(disk);
  }

  /// Configures a temporary directory as the volume.
  public static final class Directory implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of(
          "populator.target",
          VOLUME.toString(),
          "populator.claim-name",
          "test",
          "quarkus.http.host",
          "localhost",
          "quarkus.http.test-port",
          "0");
    }
  }

  private static Path temporaryDirectory() {
    try {
      return Files.createTempDirectory("upload-route");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterEach
  void leavesNothingBehind() throws IOException {
    given().delete("/volume").then().statusCode(204);
    try (Stream<Path> left = Files.list(VOLUME)) {
      assertEquals(0, left.count());
    }
    assertEquals("0", head().header("Upload-Offset"));
  }

  private static Response head() {
    return given().head("/upload");
  }

  private byte[] part(int from, int to) {
    return Arrays.copyOfRange(disk, from, to);
  }

  private void assertDiskIsThere() throws IOException {
    assertArrayEquals(disk, Files.readAllBytes(VOLUME.resolve("disk.img")));
  }

  private RawConnection put(String... fields) throws IOException {
    String[] lines = new String[fields.length + 2];
    lines[0] = "PUT /upload HTTP/1.1";
    lines[1] = "Host: localhost";
    System.arraycopy(fields, 0, lines, 2, fields.length);
    return new RawConnection().head(lines);
  }

  /// Sends the first `received` bytes, waits until the server has received them, and closes the
  /// connection.
  private void brokeOffAt(int received) throws IOException {
    try (RawConnection connection = put("Content-Length: " + LENGTH)) {
      connection.send(part(0, received));
      while (!head().header("Upload-Offset").equals(Integer.toString(received))) {
        Thread.onSpinWait();
      }
    }
  }

  /// Repeats a request until the server has detected the lost connection.
  private Response retryWhileBusy(java.util.function.Supplier<Response> request) {
    Response response = request.get();
    while (response.statusCode() == 409 && response.asString().contains("connection")) {
      response = request.get();
    }
    return response;
  }

  private Response resume(int from) {
    return retryWhileBusy(() ->
        given()
            .header("Content-Range", "bytes " + from + "-" + (LENGTH - 1) + "/" + LENGTH)
            .body(part(from, LENGTH))
            .put("/upload"));
  }

  private static String repr(byte[] bytes) {
    return "sha-256=:" + Base64.getEncoder().encodeToString(sha256(bytes)) + ":";
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void takesADiskInOneRequest() throws IOException {
    String checksum = HexFormat.of().formatHex(sha256(disk));
    Response response =
        given()
            .header("Repr-Digest", repr(disk))
            .header("X-Checksum-Sha256", checksum)
            .body(disk)
            .put("/upload/disk.img");
    assertEquals(201, response.statusCode(), response.asString());
    assertTrue(response.asString().contains("claimname: test"));
    assertDiskIsThere();
    Response head = head();
    assertEquals("?1", head.header("Upload-Complete"));
    assertEquals(Integer.toString(LENGTH), head.header("Upload-Offset"));
    assertEquals(409, given().body(disk).put("/upload").statusCode(), "it is there already");
  }

  /// The test's watcher blocks the creation of the volume in the phase `Finalizing`. This phase is
  /// between the end of the import and the phase `Ready`.
  @Test
  void isCompleteBetweenTheImportAndTheVolume() {
    CompletableFuture<Answer> between = new CompletableFuture<>();
    try (Registration _ =
        lifecycle.watch(status -> {
          if (status.phase() == Phase.Finalizing) {
            slot.current().ifPresent(slot::release);
            between.completeAsync(UploadRouteTest::rawHead).join();
          }
        })) {
      assertEquals(201, given().body(disk).put("/upload").statusCode());
    }
    assertEquals("?1", between.join().field("Upload-Complete"));
    assertEquals(Integer.toString(LENGTH), between.join().field("Upload-Offset"));
  }

  private static Answer rawHead() {
    try (RawConnection connection = new RawConnection()) {
      return connection.head("HEAD /upload HTTP/1.1", "Host: localhost").answer();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void resumesAtTheExactByteAndBeforeIt() throws IOException {
    brokeOffAt(1_000_000);
    assertEquals(409, resume(1_000_001).statusCode());
    assertEquals(201, resume(1_000_000).statusCode());
    assertDiskIsThere();
    given().delete("/volume").then().statusCode(204);
    brokeOffAt(1_000_000);
    assertEquals(201, resume(999_999).statusCode());
    assertDiskIsThere();
  }

  @Test
  void reportsTheRightOffset() throws IOException {
    brokeOffAt(1_000_000);
    Response refused = resume(2_000_000);
    assertEquals(409, refused.statusCode());
    assertEquals("1000000", refused.header("Upload-Offset"));
  }

  @Test
  void letsANewUploadTakeThePlaceOfOneThatBrokeOff() throws IOException {
    brokeOffAt(1_000_000);
    Response response = retryWhileBusy(() -> given().body(disk).put("/upload"));
    // If the server has not detected the loss of the first connection yet, the response is 409. The
    // message of this response does not contain `connection`, so `retryWhileBusy` does not repeat
    // the request.
    while (response.statusCode() == 409) {
      response = given().body(disk).put("/upload");
    }
    assertEquals(201, response.statusCode(), response.asString());
    assertDiskIsThere();
  }

  @Test
  void takesPartsInTheWordsOfTheDraft() throws IOException {
    Response first =
        given()
            .header("Upload-Complete", "?0")
            .header("Upload-Length", LENGTH)
            .header("Content-Digest", repr(part(0, 1000)))
            .body(part(0, 1000))
            .put("/upload");
    assertEquals(204, first.statusCode());
    assertEquals("1000", first.header("Upload-Offset"));
    Response second =
        given()
            .header("Upload-Complete", "?0")
            .header("Upload-Offset", 1000)
            .header("Content-Digest", repr(part(1000, LENGTH)))
            .header("Repr-Digest", repr(disk))
            .body(part(1000, LENGTH))
            .patch("/upload");
    assertEquals(204, second.statusCode(), second.asString());
    assertEquals("?0", head().header("Upload-Complete"));
    assertEquals(Integer.toString(LENGTH), head().header("Upload-Length"));
    try (RawConnection empty = new RawConnection()) {
      empty.head(
          "PATCH /upload HTTP/1.1",
          "Host: localhost",
          "Upload-Complete: ?0",
          "Upload-Offset: " + LENGTH,
          "Content-Digest: " + repr(part(0, 1)),
          "Content-Length: 0");
      assertEquals(422, empty.answer().status());
    }
    try (RawConnection last = new RawConnection()) {
      last.head(
          "PATCH /upload HTTP/1.1",
          "Host: localhost",
          "Upload-Complete: ?1",
          "Upload-Offset: " + LENGTH,
          "Content-Length: 0");
      assertEquals(201, last.answer().status());
    }
    assertDiskIsThere();
  }

  @Test
  void discardsEverythingWhenAPartOrTheWholeDiffers() {
    Response part =
        given()
            .header("Upload-Complete", "?0")
            .header("Content-Digest", repr(part(1, 1001)))
            .body(part(0, 1000))
            .put("/upload");
    // The reader of the body may detect the digest mismatch before or after the server responds to
    // the request.
    assertTrue(part.statusCode() == 204 || part.statusCode() == 422, part.asString());
    while (!given().get("/volume/status").asString().contains("Failed")) {
      Thread.onSpinWait();
    }
    assertEquals(
        422,
        given().header("Repr-Digest", repr(part(0, 9))).body(disk).put("/upload").statusCode());
    Response resumed =
        given()
            .header("Upload-Offset", 1000)
            .header("Upload-Complete", "?1")
            .body(part(1000, LENGTH))
            .patch("/upload");
    assertEquals(422, resumed.statusCode(), "the failure of what it would go on with");
  }

  @Test
  void believesNoPromiseThatCannotBeChecked() throws IOException {
    brokeOffAt(1000);
    Response response =
        retryWhileBusy(() ->
            given()
                .header("Upload-Offset", 1000)
                .header("Upload-Complete", "?1")
                .header(
                    "Repr-Digest",
                    "sha-512=:" + Base64.getEncoder().encodeToString(new byte[64]) + ":")
                .body(part(1000, LENGTH))
                .patch("/upload"));
    assertEquals(400, response.statusCode());
  }

  @Test
  void refusesWrongLengths() throws IOException {
    String[] chunked = {"Transfer-Encoding: chunked"};
    try (RawConnection longer = put("Upload-Length: 3", chunked[0])) {
      longer.send("4\r\nabcd\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertEquals(400, longer.answer().status());
    }
    try (RawConnection shorter = put("Content-Range: bytes 0-9/10", chunked[0])) {
      shorter.send("4\r\nabcd\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      Answer answer = shorter.answer();
      assertEquals(400, answer.status());
      assertEquals("4", answer.field("Upload-Offset"));
    }
    for (String[] fields :
        new String[][] {
          {"Content-Length: 5", "Content-Range: bytes 0-9/10"},
          {"Content-Length: 5", "Upload-Length: 4"},
          {"Content-Length: 5", "Upload-Length: 6"},
          {"Content-Length: 5", "Content-Range: bytes */10"},
          {"Content-Length: 5", "Upload-Length: 99999999999999999999"},
          {"Content-Length: 5", "Upload-Complete: yes"},
          {chunked[0], "Upload-Offset: 5", "Upload-Length: 4"},
          {"Content-Length: 5", "Content-Range: bytes 5-9/10", "Upload-Offset: 5"}
        }) {
      try (RawConnection connection = put(fields)) {
        assertEquals(400, connection.answer().status(), String.join(", ", fields));
      }
    }
  }

  @Test
  void tellsAtOnceThatAForeignDiskIsInTheWay() throws IOException {
    Path foreign = Files.createFile(VOLUME.resolve("disk.img"));
    try {
      given()
          .put("/volume")
          .then()
          .statusCode(409)
          .body("type", equalTo("urn:pvc-populators:problem:volume-not-empty"));
      given().body(disk).put("/upload").then().statusCode(409);
      assertEquals(0, Files.size(foreign));
    } finally {
      Files.delete(foreign);
    }
  }

  @Test
  void refusesAnEmptyUpload() throws IOException {
    try (RawConnection connection = put("Content-Length: 0")) {
      assertEquals(422, connection.answer().status());
    }
  }

  @Test
  void refusesContentCodings() throws IOException {
    try (RawConnection connection = put("Content-Length: 5", "Content-Encoding: gzip")) {
      Answer answer = connection.answer();
      assertEquals(415, answer.status());
      assertEquals("identity", answer.field("Accept-Encoding"));
    }
  }

  /// The server refuses a request with two values of one field, because a proxy and the server may
  /// use different values.
  @ParameterizedTest
  @CsvSource({
    "Content-Range, bytes 0-4/10, bytes 5-9/10",
    "Upload-Offset, 0, 5",
    "Upload-Length, 5, 10",
    "Upload-Complete, ?0, ?1",
    "Upload-Key, one, other",
    "X-Checksum-Sha256, 00, 11",
    "Content-Encoding, identity, gzip"
  })
  void refusesAFieldThatComesTwice(String field, String one, String other) throws IOException {
    try (RawConnection connection =
        put("Content-Length: 5", field + ": " + one, field + ": " + other)) {
      assertEquals(field.equals("Content-Encoding") ? 415 : 400, connection.answer().status());
    }
  }

  @Test
  void answersAChunkThatCannotBeRead() throws IOException {
    for (String body : List.of("zz\r\nabcd\r\n", "4\r\nabcd\r\nzz\r\nabcd\r\n")) {
      try (RawConnection connection = put("Transfer-Encoding: chunked")) {
        connection.send(body.getBytes(StandardCharsets.US_ASCII));
        Answer answer = connection.answer();
        assertEquals(400, answer.status());
        assertEquals("application/problem+json", answer.field("Content-Type"));
        connection.awaitEnd();
      }
    }
  }

  /// The checks of a request run on a virtual thread. This test occupies all threads that run
  /// virtual threads, so that the checks come after the answer.
  @Test
  void beginsNoUploadForAnAnsweredRequest() throws IOException, InterruptedException {
    for (int round = 0; round < 20; round++) {
      AtomicBoolean free = new AtomicBoolean();
      occupyCarriers(free);
      try (RawConnection unreadable = put("Transfer-Encoding: chunked");
          RawConnection next = put("Content-Length: " + LENGTH)) {
        unreadable.send("zz\r\n".getBytes(StandardCharsets.US_ASCII));
        assertEquals(400, unreadable.answer().status());
        free.set(true);
        next.send(disk);
        assertEquals(201, next.answer().status());
      } finally {
        free.set(true);
      }
      given().delete("/volume").then().statusCode(204);
    }
  }

  private static void occupyCarriers(AtomicBoolean free) throws InterruptedException {
    int carriers = Runtime.getRuntime().availableProcessors();
    CountDownLatch occupied = new CountDownLatch(carriers);
    for (int i = 0; i < carriers; i++) {
      Thread.startVirtualThread(() -> {
        occupied.countDown();
        while (!free.get()) {
          Thread.onSpinWait();
        }
      });
    }
    occupied.await();
  }

  @Test
  void answersALengthBeyondEveryVolumeWithAProblem() throws IOException {
    for (String path : List.of("/upload", "/volume")) {
      try (RawConnection connection = new RawConnection()) {
        connection.head(
            "PUT " + path + " HTTP/1.1", "Host: localhost", "Content-Length: " + (1L << 62));
        Answer answer = connection.answer();
        assertEquals(413, answer.status());
        assertEquals("application/problem+json", answer.field("Content-Type"));
      }
    }
  }

  @Test
  void refusesAnUnknownParameter() {
    for (String query : List.of("fromat=raw", "format=raw&archive=true", "allowMagic=yes")) {
      given()
          .body(disk)
          .put("/upload?" + query)
          .then()
          .statusCode(400)
          .contentType("application/problem+json");
    }
    given().body(disk).put("/upload?fromat=raw").then().body("detail", containsString("fromat"));
  }

  @Test
  void explainsAnInvalidDigest() {
    for (String wrong : List.of("sha-256=:A===:", "sha-256=:AAAA=AAA:")) {
      given()
          .header("Repr-Digest", wrong)
          .body(disk)
          .put("/upload")
          .then()
          .statusCode(400)
          .body(
              "detail",
              equalTo(
                  "Reading Repr-Digest: expected the base64 form of the 32 bytes of a sha-256"
                      + " digest, found something else between the colons"));
    }
  }

  @Test
  void saysThatThereIsNoUploadToContinue() {
    for (int offset : List.of(0, 17)) {
      given()
          .header("Upload-Offset", offset)
          .body(disk)
          .patch("/upload")
          .then()
          .statusCode(409)
          .body(
              "detail",
              equalTo(
                  "No upload is under way that could continue at byte "
                      + offset
                      + "; begin with PUT /upload and the first byte"));
    }
  }

  @Test
  void reportsTheContentOfTheDisk() {
    given().body(disk).put("/upload").then().statusCode(201);
    given()
        .get("/volume/status")
        .then()
        .body("details.content", equalTo("unknown"))
        .body("details.notice", containsString("neither a partition table"));
  }

  @Test
  void refusesRawThatBeginsLikeAnImageUnlessThatIsAllowed() {
    byte[] image = disk.clone();
    System.arraycopy(new byte[] {'Q', 'F', 'I', (byte) 0xfb, 0, 0, 0, 3}, 0, image, 0, 8);
    given().body(image).put("/upload?format=raw").then().statusCode(422);
    given().body(image).put("/upload?format=raw&allowMagic=true").then().statusCode(201);
  }

  @Test
  void refusesAParameterThatComesTwice() {
    given().body(disk).put("/upload?format=raw&format=qcow2").then().statusCode(400);
    given().body(disk).put("/upload?content=disk&content=archive").then().statusCode(400);
  }

  @Test
  void sendsNoInterimResponseToOldClients() throws IOException {
    try (RawConnection old = new RawConnection()) {
      old.head(
          "PUT /upload HTTP/1.0",
          "Host: localhost",
          "Expect: 100-continue",
          "Content-Length: " + LENGTH);
      old.send(disk);
      assertEquals(201, old.answer().status());
      old.awaitEnd();
    }
    assertDiskIsThere();
  }

  @Test
  void continuesOnlyResumableUploads() throws IOException {
    try (RawConnection first = put("Expect: 100-continue", "Content-Length: " + LENGTH)) {
      assertEquals(100, first.answer().status());
      try (RawConnection second = put("Expect: 100-continue", "Content-Length: " + LENGTH)) {
        assertEquals(409, second.answer().status());
      }
      first.send(disk);
      assertEquals(201, first.answer().status());
    }
  }

  @Test
  void keepsTheConnectionForTheNextRequest() throws IOException {
    String patch = "PATCH /upload HTTP/1.1";
    try (RawConnection connection = put("Upload-Complete: ?0", "Content-Length: 10")) {
      connection.send(part(0, 10));
      // The client sends the second request before it reads the first response (pipelining).
      connection.head(
          patch,
          "Host: localhost",
          "Upload-Offset: 10",
          "Upload-Complete: ?1",
          "Content-Length: " + (LENGTH - 10));
      connection.send(part(10, LENGTH));
      assertEquals(204, connection.answer().status());
      assertEquals(201, connection.answer().status());
      connection.head("HEAD /upload HTTP/1.1", "Host: localhost");
      assertEquals("?1", connection.answer().field("Upload-Complete"));
    }
    assertDiskIsThere();
  }

  @Test
  void endsTheUploadWhenTheVolumeIsDeleted() throws IOException {
    try (RawConnection connection = put("Content-Length: " + LENGTH)) {
      connection.send(part(0, 100_000));
      while (!head().header("Upload-Offset").equals("100000")) {
        Thread.onSpinWait();
      }
      given().delete("/volume").then().statusCode(204);
      assertEquals(409, connection.answer().status());
    }
    assertFalse(Files.exists(VOLUME.resolve("disk.img")));
    assertEquals(201, given().body(disk).put("/upload").statusCode(), "another one is welcome");
  }

  @Test
  void refusesOtherMethods() {
    assertEquals(405, given().body("x").post("/upload").statusCode());
    assertEquals("HEAD, OPTIONS, PATCH, PUT", given().options("/upload").header("Allow"));
    assertEquals(404, given().body("x").put("/upload/a/b").statusCode());
  }

  @Test
  void answersToNoNameThatAStrangerMayHave() throws IOException {
    for (String path : List.of("/", "/volume", "/upload", "/q/metrics")) {
      try (RawConnection connection = new RawConnection()) {
        Answer answer =
            connection.head("GET " + path + " HTTP/1.1", "Host: rebound.example:8080").answer();
        assertEquals(421, answer.status(), path);
      }
    }
  }

  /// A browser sends a preflight request before a PUT from another site's page.
  @Test
  void refusesPagesOfOtherOrigins() {
    Response preflight =
        given()
            .header("Origin", "https://other.example")
            .header("Access-Control-Request-Method", "PUT")
            .options("/upload");
    assertEquals(null, preflight.header("Access-Control-Allow-Origin"));
    Response read = given().header("Origin", "https://other.example").get("/volume");
    assertEquals(null, read.header("Access-Control-Allow-Origin"));
  }
}
